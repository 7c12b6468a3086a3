// What of a client's picture is looked at before anything else sees it: a data URL of an allowed type, strict base64,
// bytes that begin like that type, dimensions that no decoder chokes on. Nothing is ever fetched. Pure function.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace parley::protocol {

inline constexpr std::size_t longest_image_bytes = 10 * 1024 * 1024;  // of the data URL as text
inline constexpr std::size_t most_image_pixels = 64 * 1024 * 1024;

// Why it is refused, for the client; empty = usable.
[[nodiscard]] std::optional<std::string> image_problem(std::string_view url);

}  // namespace parley::protocol
