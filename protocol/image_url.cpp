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

// ---- whole files ------------------------------------------------------------------------------------------------

constexpr std::array<std::uint32_t, 256> crc_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value & 1U) != 0 ? value >> 1U ^ 0xedb88320U : value >> 1U;
    table[i] = value;
  }
  return table;
}();

std::uint32_t crc_of(bytes data) {
  std::uint32_t crc = ~0U;
  for (const std::uint8_t byte : data) crc = crc_table[(crc ^ byte) & 0xffU] ^ crc >> 8U;
  return ~crc;
}

// Chunk after chunk, each of length, type, data and checksum, from the header to the end mark.
bool is_whole_png(bytes data) {
  constexpr std::size_t signature = 8, around = 12;
  bool pixels = false;
  for (std::size_t at = signature; data.size() - at >= around;) {
    const std::size_t size = big_endian(data, at, 4);
    if (size > data.size() - at - around) return false;
    const bytes checked = data.subspan(at + 4, size + 4);
    if (crc_of(checked) != big_endian(data, at + 8 + size, 4)) return false;
    if (at == signature && !begins_with(checked, "IHDR")) return false;
    if (begins_with(checked, "IEND")) return pixels;
    pixels |= begins_with(checked, "IDAT");
    at += around + size;
  }
  return false;
}

// Segment after segment to the scan, which runs to the end mark.
bool is_whole_jpeg(bytes data) {
  for (std::size_t at = 2; at + 4 <= data.size() && data[at] == 0xff; at += 2 + big_endian(data, at + 2, 2)) {
    if (data[at + 1] != 0xda) continue;
    constexpr std::array<std::uint8_t, 2> end = {0xff, 0xd9};
    const auto scan = data.subspan(at + 4);
    return std::search(scan.begin(), scan.end(), end.begin(), end.end()) != scan.end();
  }
  return false;
}

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

std::optional<std::string> still_image_problem(std::string_view url) {
  const bool png = url.starts_with(image_types[0].prefix);
  if (!png && !url.starts_with(image_types[1].prefix)) return "expected a data URL in base64 of a PNG or JPEG image.";
  if (auto problem = image_problem(url)) return problem;
  const image_type& type = image_types[png ? 0 : 1];
  const std::string_view text = url.substr(type.prefix.size());
  std::vector<std::uint8_t> data(base64_decoded_bound(text.size()));
  data.resize(base64_decode(text, data.data()).value_or(0));
  const auto [width, height] = type.size(data);
  if (width == 0 || height == 0 || !(png ? is_whole_png(data) : is_whole_jpeg(data))) return "the image is damaged.";
  return std::nullopt;
}

bool is_video_frame(std::string_view base64) {
  std::vector<std::uint8_t> data(base64_decoded_bound(base64.size()));
  const auto size = base64_decode(base64, data.data());
  return size && (is_jpeg(bytes{data}.first(*size)) || is_png(bytes{data}.first(*size)));
}

}  // namespace parley::protocol
