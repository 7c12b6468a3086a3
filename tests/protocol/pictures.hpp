// The smallest whole files of each kind of picture (1 x 1), as base64, and what the tests make of them.
#pragma once

#include "protocol/base64.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parley::protocol::pictures {

struct picture {
  std::string_view type;
  std::string_view base64;
};

inline constexpr picture png{
    "png", "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="};
inline constexpr picture jpeg{"jpeg", "/9j/wAALCAABAAEBAREA/9oACAEBAAA/AH//2Q=="};
inline constexpr picture gif{"gif", "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAICRAEAOw=="};
inline constexpr picture lossy_webp{"webp", "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA"};
inline constexpr picture lossless_webp{"webp", "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="};
inline constexpr picture extended_webp{
    "webp",
    "UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR/Q9ERP8DAABWUDggGAAAABQBAJ0BKgEAAQAAAP4AAA3AAP7mtQAAAA=="};
inline constexpr picture all[] = {png, jpeg, gif, lossy_webp, lossless_webp, extended_webp};

inline std::string bytes_of(const picture& one) {
  std::vector<std::uint8_t> data(base64_decoded_bound(one.base64.size()));
  data.resize(base64_decode(one.base64, data.data()).value_or(0));
  return {data.begin(), data.end()};
}

inline std::string data_url(std::string_view type, std::string_view bytes) {
  std::string text(base64_encoded_size(bytes.size()), '\0');
  base64_encode({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, text.data());
  return "data:image/" + std::string{type} + ";base64," + text;
}

inline std::string data_url(const picture& one) { return data_url(one.type, bytes_of(one)); }

}  // namespace parley::protocol::pictures
