#include "bench/duplex_client.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace parley::bench {
namespace {

namespace json = boost::json;

constexpr std::chrono::seconds patience{30};  // a busy machine is no violation
constexpr std::chrono::milliseconds look_every{10};

std::string_view text(const json::object& of, std::string_view key) {
  const auto* value = of.if_contains(key);
  return value && value->is_string() ? std::string_view(value->get_string()) : std::string_view{};
}

}  // namespace

duplex_client::duplex_client(const executor& on, server_url to, duplex_counts& counts,
                             std::function<void(const std::string&)> violated)
    : executor_(on), to_(std::move(to)), violated_(std::move(violated)), checks_(counts, violated_) {}

bool duplex_client::attachment::has(std::string_view type) const {
  return std::find(seen.begin(), seen.end(), type) != seen.end();
}

task<bool> duplex_client::open(std::string_view session) {
  const bool connected = co_await connect("&autostart=0");
  if (!connected) co_return false;
  co_await send(R"({"type":"session.update","session":)" + std::string(session) + "}");
  co_return co_await until([this] { return current().has("session.updated"); }, "session.updated");
}

task<bool> duplex_client::resume() { co_return co_await attach("session.resumed"); }

task<bool> duplex_client::take_over() {
  attachment& old = current();
  old.counts = false;
  const bool resumed = co_await resume();
  if (!resumed) co_return false;
  const bool ended = co_await until([&old] { return old.ended; }, "the end of a replaced socket");
  if (ended && !old.has("session.replaced")) violated_("no session.replaced on a socket that was replaced");
  co_return ended;
}

task<bool> duplex_client::close() {
  co_await send(R"({"type":"session.close"})");
  const bool ended = co_await until([this] { return current().ended; }, "the end after session.close");
  if (ended && !current().has("session.closed")) violated_("no session.closed before the end of the socket");
  co_return ended&& current().has("session.closed");
}

task<bool> duplex_client::is_expired() { co_return co_await attach("session_resume_expired"); }

task<bool> duplex_client::is_refused(std::string_view code) {
  const bool connected = co_await connect("");
  if (!connected) co_return false;
  current().counts = false;
  co_return co_await until([this, code] { return current().has(code); }, std::string(code));
}

task<void> duplex_client::send(std::string text) {
  attachment& on = current();
  if (on.ended) co_return;
  try {
    co_await on.socket.send(text);
  } catch (const boost::system::system_error&) {
    // Its reader sees the end too.
  }
}

void duplex_client::lose(socket_loss how) {
  current().counts = false;
  current().socket.lose(how == socket_loss::rst);
}

task<bool> duplex_client::attach(std::string_view answer) {
  const json::object wish{{"type", "session.resume"},
                          {"session_id", id_},
                          {"resume_token", token_},
                          {"last_received_server_event_seq", checks_.last_number()}};
  const bool connected = co_await connect("&autostart=0");
  if (!connected) co_return false;
  co_await send(json::serialize(wish));
  co_return co_await until([this, answer] { return current().has(answer); }, std::string(answer));
}

task<bool> duplex_client::connect(std::string_view query) {
  auto to = to_;
  to.target += query;
  auto made = std::make_unique<attachment>(executor_);
  bool open = false;
  try {
    co_await made->socket.open(to);
    open = true;
  } catch (const std::exception& error) {
    violated_(std::string("can not connect: ") + error.what());
  }
  if (!open) co_return false;
  sockets_.push_back(std::move(made));
  start_reading(current());
  co_return true;
}

void duplex_client::start_reading(attachment& from) {
  asio::co_spawn(executor_, read(from), [this, &from](const std::exception_ptr& failure) {
    from.ended = true;
    try {
      if (failure) std::rethrow_exception(failure);
    } catch (const boost::system::system_error&) {
      // How every socket ends.
    } catch (const std::exception& error) {
      violated_(error.what());
    }
    from.socket.lose(true);
  });
}

task<void> duplex_client::read(attachment& from) {
  for (;;) {
    const auto message = co_await from.socket.read();
    on_message(from, message);
  }
}

void duplex_client::on_message(attachment& from, std::string_view message) {
  const auto parsed = json::parse(json::string_view(message.data(), message.size()));
  const auto& event = parsed.as_object();
  const auto type = text(event, "type");
  const auto* error = event.if_contains("error");
  const auto code = error && error->is_object() ? text(error->get_object(), "code") : std::string_view{};
  from.seen.emplace_back(type == "error" ? code : type);
  if (!from.counts || code == "session_resume_expired") return;
  if (type == "session.created" || type == "session.resumed") {
    if (id_.empty()) id_ = text(event.at("session").as_object(), "id");
    token_ = text(event, "resume_token");
    if (event.at("attachment_generation").as_int64() != ++generation_) violated_("a wrong attachment_generation");
  }
  checks_.on(event);
}

task<bool> duplex_client::until(std::function<bool()> condition, std::string what) {
  const attachment& on = current();
  const auto end = clock::now() + patience;
  steady_timer timer(executor_);
  for (;;) {
    if (condition()) co_return true;
    if (on.ended || clock::now() > end) break;
    timer.expires_after(look_every);
    co_await timer.async_wait(awaited);
  }
  violated_((on.ended ? "the socket ended before " : "timeout waiting for ") + what + " of " + id_ +
            (on.seen.empty() ? "" : "; the last was " + on.seen.back()));
  co_return false;
}

}  // namespace parley::bench
