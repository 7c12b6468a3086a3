#include "adapters/local/local_model.hpp"

#include "adapters/local/local_session.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

namespace parley::adapters::local {
namespace {

void require(const std::string& key, const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw std::runtime_error(key + ": no such file: " + path.string());
}

class local_model final : public runtime::model {
 public:
  local_model(std::shared_ptr<local_parts> parts, bool takes_images)
      : parts_(std::move(parts)), takes_images_(takes_images) {}

  runtime::model_capabilities capabilities() const override {
    return {.can_wait = true, .takes_audio = true, .takes_images = takes_images_, .calls_tools = true};
  }
  std::unique_ptr<runtime::model_session> open(std::shared_ptr<runtime::model_sink> sink) override {
    return std::make_unique<local_session>(parts_, std::move(sink));
  }

 private:
  const std::shared_ptr<local_parts> parts_;
  const bool takes_images_;
};

}  // namespace

std::shared_ptr<runtime::model> make_local_model(const config::local_config& options, std::shared_ptr<replier> words) {
  require("local.acoustic_model", std::filesystem::path(options.acoustic_model) / "mdef");
  require("local.language_model", options.language_model);
  require("local.dictionary", options.dictionary);
  return std::make_shared<local_model>(
      std::shared_ptr<local_parts>(new local_parts{std::move(words), recogniser(options), speaker(options)}),
      options.llm.url.has_value());
}

}  // namespace parley::adapters::local
