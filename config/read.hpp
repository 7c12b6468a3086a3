// Applies YAML (a file, the built-in defaults, one --set) to a config. Called by load(), once per source, in order of
// precedence; later sources overwrite earlier ones key by key, lists as a whole. Mistakes are collected, nothing is
// thrown, and what is right around a mistake still takes effect, so that one pass finds them all. Models: a name that
// exists already is extended key by key, unless another `adapter` is given: then it starts afresh. `models.NAME: null`
// removes a model.
#pragma once

#include "config/config.hpp"
#include "config/load.hpp"

#include <map>
#include <string>
#include <vector>

namespace parley::config {

struct location {
  std::string file;  // or the flag
  int line = 0;      // from 1; 0 = none
};

struct reading {
  config value;
  std::map<std::string, location> origins;  // key path -> where its value was last given
  std::vector<mistake> mistakes;
};

void read_yaml(const std::string& text, const std::string& file, reading& into);

// `setting` is PATH=VALUE; VALUE is a YAML scalar, flow list or flow map.
void read_setting(const std::string& setting, reading& into);

}  // namespace parley::config
