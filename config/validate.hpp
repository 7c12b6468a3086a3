// What no single key can show: combinations of keys, and the world outside (files, environment). Runs last in load().
#pragma once

#include "config/load.hpp"
#include "config/read.hpp"

namespace parley::config {

// Appends to `of.mistakes`, each at the place where the key was given.
void validate(reading& of, const environment& env);

}  // namespace parley::config
