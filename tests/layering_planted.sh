#!/usr/bin/env bash
# Shows that layering.sh can fail: a good tree passes, and the same tree with one planted violation does not.
set -euo pipefail
layering=$(cd "$(dirname "$0")" && pwd)/layering.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{protocol,config,runtime,adapters/{http,local},server,bench}

plant() { printf '#include %s\n' "${@:2}" >"$tree/$1"; }
fail() {
  echo "FAILED: $*"
  exit 1
}

plant protocol/a.cpp '"protocol/a.hpp"' '<simdjson.h>' '<boost/json/value.hpp>' '<vector>'
plant protocol/a.hpp '<boost/system/result.hpp>' '<string>'
plant config/a.cpp '"config/a.hpp"' '<yaml-cpp/yaml.h>' '<CLI/CLI.hpp>'
plant runtime/a.hpp '"protocol/a.hpp"' '"config/a.hpp"' '<boost/system/error_code.hpp>'
plant adapters/http/a.cpp '"runtime/a.hpp"' '<boost/beast/http.hpp>' '<boost/asio/post.hpp>'
plant adapters/local/a.cpp '"adapters/http/a.hpp"' '<flite/flite.h>'
plant server/a.cpp '"runtime/a.hpp"' '<boost/beast/core.hpp>' '<spdlog/spdlog.h>'
plant server/main.cpp '"adapters/factory.hpp"' '"server/a.hpp"'
plant bench/a.cpp '"protocol/a.hpp"' '<boost/asio.hpp>'
"$layering" "$tree" || fail "the good tree is refused"

expect_violation() {
  plant "$1" "$2"
  if "$layering" "$tree" >/dev/null; then fail "$1 may include $2"; fi
  rm "$tree/$1"
}
expect_violation protocol/bad.cpp '"runtime/a.hpp"'
expect_violation protocol/bad.cpp '<boost/asio.hpp>'
expect_violation protocol/bad.cpp '<spdlog/spdlog.h>'
expect_violation protocol/bad.hpp '<simdjson.h>'
expect_violation config/bad.cpp '"protocol/a.hpp"'
expect_violation config/bad.cpp '<boost/json.hpp>'
expect_violation config/bad.hpp '<yaml-cpp/yaml.h>'
expect_violation config/bad.hpp '<CLI/CLI.hpp>'
expect_violation runtime/bad.cpp '"adapters/factory.hpp"'
expect_violation runtime/bad.cpp '"server/a.hpp"'
expect_violation runtime/bad.cpp '<boost/asio/io_context.hpp>'
expect_violation adapters/bad.cpp '"server/a.hpp"'
expect_violation adapters/local/bad.cpp '<boost/asio/post.hpp>'
expect_violation adapters/http/bad.hpp '<boost/beast/http.hpp>'
expect_violation server/bad.cpp '"adapters/factory.hpp"'
expect_violation server/bad.hpp '<boost/beast/websocket.hpp>'
expect_violation bench/bad.cpp '"server/a.hpp"'
expect_violation bench/bad.cpp '"runtime/a.hpp"'

plant runtime/late.hpp '<vector>'
expect_violation runtime/late.cpp '"runtime/a.hpp"'
plant runtime/late.cpp '"runtime/late.hpp"' '"runtime/a.hpp"'
"$layering" "$tree" || fail "a header that comes first is refused"
echo "every planted violation was found"
