// What of a client's picture is looked at before anything else sees it: a data URL of an allowed type, strict base64,
// bytes that begin like that type, dimensions that no decoder chokes on, and every part of the file there to its end
// (those of a PNG with their checksums): half a file must not reach a model. Nothing is ever fetched. Pure function.
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
// The same in the duplex dialect, which takes JPEG and PNG only.
[[nodiscard]] std::optional<std::string> still_image_problem(std::string_view url);
// Strict base64, not in a URL, that begins like a JPEG or PNG: a video frame of the duplex dialect.
[[nodiscard]] bool is_video_frame(std::string_view base64);

}  // namespace parley::protocol
