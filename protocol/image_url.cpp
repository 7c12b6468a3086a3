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

// The first chunk says which of three forms it is; the two older ones have 14 bits a side.
bool is_webp(bytes data) { return begins_with(data, "RIFF") && begins_with(data, "WEBP", 8); }
dimensions webp_size(bytes data) {
  constexpr std::size_t side_bits = 14, side_mask = (1U << side_bits) - 1;
  if (data.size() >= 25 && begins_with(data, "VP8L", 12)) {
    const std::size_t sides = little_endian(data, 21, 4);
    return {(sides & side_mask) + 1, (sides >> side_bits & side_mask) + 1};
  }
  if (data.size() < 30) return {};
  if (begins_with(data, "VP8X", 12)) return {little_endian(data, 24, 3) + 1, little_endian(data, 27, 3) + 1};
  if (!begins_with(data, "VP8 ", 12)) return {};
  return {little_endian(data, 26, 2) & side_mask, little_endian(data, 28, 2) & side_mask};
}

// From marker to marker, before each of which any number of 0xff may stand, until that of a frame: it holds the size.
bool is_jpeg(bytes data) { return begins_with(data, "\xff\xd8\xff"); }
dimensions jpeg_size(bytes data) {
  std::size_t at = 2;
  while (at + 9 <= data.size() && data[at] == 0xff) {
    const std::uint8_t marker = data[at + 1];
    const bool frame = marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (frame) return {big_endian(data, at + 7, 2), big_endian(data, at + 5, 2)};
    at += marker == 0xff ? 1 : 2 + big_endian(data, at + 2, 2);
  }
  return {};
}

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
  constexpr std::size_t signature = 8, around = 12, header = 13;
  bool pixels = false;
  for (std::size_t at = signature; data.size() - at >= around;) {
    const std::size_t size = big_endian(data, at, 4);
    if (size > data.size() - at - around) return false;
    const bytes checked = data.subspan(at + 4, size + 4);
    if (crc_of(checked) != big_endian(data, at + 8 + size, 4)) return false;
    if (at == signature && (size != header || !begins_with(checked, "IHDR"))) return false;
    if (begins_with(checked, "IEND")) return pixels;
    pixels |= begins_with(checked, "IDAT");
    at += around + size;
  }
  return false;
}

// Segment after segment to the scan, which runs to the end mark.
bool is_whole_jpeg(bytes data) {
  for (std::size_t at = 2; at + 4 <= data.size() && data[at] == 0xff;) {
    const std::uint8_t marker = data[at + 1];
    if (marker == 0xff) {
      ++at;
    } else if (marker != 0xda) {
      at += 2 + big_endian(data, at + 2, 2);
    } else {
      constexpr std::array<std::uint8_t, 2> end = {0xff, 0xd9};
      const auto scan = data.subspan(at + 4);
      return std::search(scan.begin(), scan.end(), end.begin(), end.end()) != scan.end();
    }
  }
  return false;
}

// Chunk after chunk, each of name, length and data padded to an even size, within what the head says.
bool is_whole_webp(bytes data) {
  constexpr std::size_t outer = 8, around = 8;
  const std::size_t said = little_endian(data, 4, 4);
  if (said > data.size() - outer) return false;
  const bytes file = data.first(said + outer);
  bool pixels = false;
  for (std::size_t at = outer + 4; at + around <= file.size();) {
    const std::size_t size = little_endian(file, at + 4, 4);
    if (size > file.size() - at - around) return false;
    pixels |= begins_with(file, "VP8 ", at) || begins_with(file, "VP8L", at) || begins_with(file, "ANMF", at);
    at += around + size + size % 2;
  }
  return pixels;
}

std::size_t color_table_size(std::uint8_t flags) { return (flags & 0x80U) != 0 ? 3U << ((flags & 7U) + 1U) : 0; }

// Behind a list of blocks, each of its length and so many bytes, that ends with an empty one.
std::size_t past_blocks(bytes data, std::size_t at) {
  while (at < data.size() && data[at] != 0) at += 1U + data[at];
  return at + 1;
}

// Extensions and pictures to the end mark. A picture may be larger than the screen it is shown on.
bool is_whole_gif(bytes data) {
  constexpr std::size_t head = 13, description = 10;
  constexpr std::uint8_t extension = 0x21, picture = 0x2c, end = 0x3b;
  if (data.size() < head) return false;
  bool pixels = false;
  for (std::size_t at = head + color_table_size(data[10]); at < data.size();) {
    if (data[at] == end) return pixels;
    if (data[at] == extension) {
      at = past_blocks(data, at + 2);
    } else if (data[at] == picture && at + description <= data.size()) {
      if (little_endian(data, at + 5, 2) * little_endian(data, at + 7, 2) > most_image_pixels) return false;
      at = past_blocks(data, at + description + color_table_size(data[at + 9]) + 1);
      pixels = true;
    } else {
      return false;
    }
  }
  return false;
}

struct image_type {
  std::string_view prefix;
  bool (*is)(bytes);
  dimensions (*size)(bytes);
  bool (*is_whole)(bytes);
};
constexpr std::array<image_type, 4> image_types = {{{"data:image/png;base64,", is_png, png_size, is_whole_png},
                                                    {"data:image/jpeg;base64,", is_jpeg, jpeg_size, is_whole_jpeg},
                                                    {"data:image/webp;base64,", is_webp, webp_size, is_whole_webp},
                                                    {"data:image/gif;base64,", is_gif, gif_size, is_whole_gif}}};
constexpr std::size_t still_types = 2;  // the first of them

const image_type* type_of(std::string_view url, std::size_t known) {
  const auto end = image_types.begin() + static_cast<std::ptrdiff_t>(known);
  const auto type =
      std::find_if(image_types.begin(), end, [&](const image_type& each) { return url.starts_with(each.prefix); });
  return type == end ? nullptr : &*type;
}

std::optional<std::string> problem_of(std::string_view url, const image_type& type) {
  if (url.size() > longest_image_bytes) return "the image is larger than 10 MiB.";
  const std::string_view text = url.substr(type.prefix.size());
  std::vector<std::uint8_t> data(base64_decoded_bound(text.size()));
  const auto size = base64_decode(text, data.data());
  if (!size || *size == 0) return "the image is not valid base64.";
  const bytes image = bytes{data}.first(*size);
  if (!type.is(image)) return "the image is not of the type it says.";
  const auto [width, height] = type.size(image);
  if (width > 0 && height > most_image_pixels / width) return "the image has more than 64 million pixels.";
  if (width == 0 || height == 0 || !type.is_whole(image)) return "the image is damaged.";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> image_problem(std::string_view url) {
  if (const image_type* type = type_of(url, image_types.size())) return problem_of(url, *type);
  return "expected a data URL in base64 of a PNG, JPEG, WebP or GIF image.";
}

std::optional<std::string> still_image_problem(std::string_view url) {
  if (const image_type* type = type_of(url, still_types)) return problem_of(url, *type);
  return "expected a data URL in base64 of a PNG or JPEG image.";
}

bool is_video_frame(std::string_view base64) {
  std::vector<std::uint8_t> data(base64_decoded_bound(base64.size()));
  const auto size = base64_decode(base64, data.data());
  return size && (is_jpeg(bytes{data}.first(*size)) || is_png(bytes{data}.first(*size)));
}

}  // namespace parley::protocol
