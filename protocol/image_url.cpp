#include "protocol/image_url.hpp"

#include "protocol/base64.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace parley::protocol {
namespace {

using bytes = std::span<const std::uint8_t>;

struct dimensions {
  std::size_t width = 0, height = 0;
};

std::size_t big_endian(bytes data, std::size_t at, std::size_t count) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8U | data[at + i];
  return value;
}

std::size_t little_endian(bytes data, std::size_t at, std::size_t count) {
  std::size_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = value << 8U | data[at + i];
  return value;
}

bool begins_with(bytes data, std::string_view magic, std::size_t at = 0) {
  return data.size() >= at + magic.size() &&
         std::equal(magic.begin(), magic.end(), data.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char want, std::uint8_t have) { return static_cast<std::uint8_t>(want) == have; });
}

// Each knows its type by the first bytes, and reads the dimensions where they stand; empty = not there yet.
bool is_png(bytes data) { return begins_with(data, "\x89PNG\r\n\x1a\n"); }
dimensions png_size(bytes data) {
  if (data.size() < 24) return {};
  return {big_endian(data, 16, 4), big_endian(data, 20, 4)};
}

bool is_gif(bytes data) { return begins_with(data, "GIF87a") || begins_with(data, "GIF89a"); }
dimensions gif_size(bytes data) {
  if (data.size() < 10) return {};
  return {little_endian(data, 6, 2), little_endian(data, 8, 2)};
}

// Other forms of WebP than the extended one cannot be larger than 16383 x 16383, and say so elsewhere.
bool is_webp(bytes data) { return begins_with(data, "RIFF") && begins_with(data, "WEBP", 8); }
dimensions webp_size(bytes data) {
  if (data.size() < 30 || !begins_with(data, "VP8X", 12)) return {};
  return {little_endian(data, 24, 3) + 1, little_endian(data, 27, 3) + 1};
}

// From marker to marker until that of a frame, which holds the size.
bool is_jpeg(bytes data) { return begins_with(data, "\xff\xd8\xff"); }
dimensions jpeg_size(bytes data) {
  std::size_t at = 2;
  while (at + 9 <= data.size() && data[at] == 0xff) {
    const std::uint8_t marker = data[at + 1];
    const bool frame = marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (frame) return {big_endian(data, at + 7, 2), big_endian(data, at + 5, 2)};
    at += 2 + big_endian(data, at + 2, 2);
  }
  return {};
}

struct image_type {
  std::string_view prefix;
  bool (*is)(bytes);
  dimensions (*size)(bytes);
};
constexpr std::array<image_type, 4> image_types = {{{"data:image/png;base64,", is_png, png_size},
                                                    {"data:image/jpeg;base64,", is_jpeg, jpeg_size},
                                                    {"data:image/webp;base64,", is_webp, webp_size},
                                                    {"data:image/gif;base64,", is_gif, gif_size}}};

}  // namespace

std::optional<std::string> image_problem(std::string_view url) {
  const auto type = std::find_if(image_types.begin(), image_types.end(),
                                 [&](const image_type& each) { return url.starts_with(each.prefix); });
  if (type == image_types.end()) return "expected a data URL in base64 of a PNG, JPEG, WebP or GIF image.";
  if (url.size() > longest_image_bytes) return "the image is larger than 10 MiB.";
  const std::string_view text = url.substr(type->prefix.size());
  std::vector<std::uint8_t> data(base64_decoded_bound(text.size()));
  const auto size = base64_decode(text, data.data());
  if (!size || *size == 0) return "the image is not valid base64.";
  const bytes image = bytes{data}.first(*size);
  if (!type->is(image)) return "the image is not of the type it says.";
  const auto [width, height] = type->size(image);
  if (width > 0 && height > most_image_pixels / width) return "the image has more than 64 million pixels.";
  return std::nullopt;
}

}  // namespace parley::protocol
