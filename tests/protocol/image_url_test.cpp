#include "protocol/image_url.hpp"

#include "tests/protocol/pictures.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>

namespace parley::protocol {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
using pictures::bytes_of;
using pictures::data_url;
using pictures::picture;

// The bytes at `at` replaced.
std::string changed(const picture& one, std::size_t at, std::string_view with) {
  std::string bytes = bytes_of(one);
  bytes.replace(at, with.size(), with);
  return data_url(one.type, bytes);
}

TEST_CASE("F38: whole pictures are taken, in the duplex dialect JPEG and PNG", "[protocol][image]") {
  for (const picture& one : pictures::all) {
    CAPTURE(one.type, one.base64);
    CHECK_FALSE(image_problem(data_url(one)));
    CHECK(still_image_problem(data_url(one)).has_value() == (one.type != "png" && one.type != "jpeg"));
  }
}

TEST_CASE("F38: a picture that is cut anywhere is refused", "[protocol][image]") {
  for (const picture& one : pictures::all) {
    const std::string bytes = bytes_of(one);
    for (std::size_t size = 1; size < bytes.size(); ++size) {
      CAPTURE(one.type, one.base64, size);
      const std::string cut = data_url(one.type, std::string_view{bytes}.substr(0, size));
      CHECK(image_problem(cut));
      CHECK(still_image_problem(cut));
    }
  }
}

TEST_CASE("F38: what stands behind the end of a picture does not matter", "[protocol][image]") {
  for (const picture& one : pictures::all) {
    CAPTURE(one.type, one.base64);
    CHECK_FALSE(image_problem(data_url(one.type, bytes_of(one) + "behind")));
  }
}

TEST_CASE("F38: a picture without pixels or with parts that do not fit is damaged", "[protocol][image]") {
  for (const std::string& url : {
           changed(pictures::png, 29, "\0"sv),    // a checksum
           changed(pictures::png, 36, "\x7f"sv),  // the length of a chunk
           changed(pictures::jpeg, 4, "\xff"sv),  // the length of a segment
           changed(pictures::jpeg, 7, "\0\0"sv),  // no height
           changed(pictures::gif, 6, "\0\0"sv),   // no width
           changed(pictures::gif, 27, "\x01"sv),  // no picture where one begins
           changed(pictures::gif, 27, "\x3b"sv),  // the end before the first picture
           changed(pictures::lossy_webp, 4, "\x7f"sv),
           changed(pictures::lossy_webp, 16, "\x7f"sv),
           changed(pictures::lossy_webp, 26, "\0\0"sv),
           changed(pictures::extended_webp, 54, "VP8?"sv),
       }) {
    CAPTURE(url);
    CHECK(image_problem(url) == "the image is damaged.");
  }
}

TEST_CASE("F38: bytes between the segments of a JPEG are legal", "[protocol][image]") {
  std::string bytes = bytes_of(pictures::jpeg);
  bytes.insert(2, "\xff\xff");
  CHECK_FALSE(still_image_problem(data_url("jpeg", bytes)));
}

TEST_CASE("F38: each form of WebP and each picture of a GIF is bounded in pixels", "[protocol][image]") {
  const std::string too_many = "the image has more than 64 million pixels.";
  CHECK(image_problem(changed(pictures::lossy_webp, 26, "\xff\x3f\xff\x3f"sv)) == too_many);
  CHECK(image_problem(changed(pictures::lossless_webp, 21, "\xff\xff\xff\xff"sv)) == too_many);
  CHECK(image_problem(changed(pictures::extended_webp, 24, "\xff\xff\xff\xff\xff\xff"sv)) == too_many);
  CHECK(image_problem(changed(pictures::gif, 32, "\xff\xff\xff\xff"sv)));
}

}  // namespace
}  // namespace parley::protocol
