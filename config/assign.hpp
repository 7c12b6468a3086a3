// One YAML value -> one key's member. Strict: a value of another type is refused, never converted.
#pragma once

#include "config/keys.hpp"

#include <functional>
#include <string>

namespace YAML {
class Node;
}

namespace parley::config {

// Called for every mistake in a value: the node it is in, what follows the key's path ("" or "[1].text"), what is
// wrong.
using value_mistake = std::function<void(const YAML::Node& at, const std::string& below, const std::string& text)>;

// Leaves the member as it was if the value is refused; a list takes what is right in it and reports the rest.
void assign(const key& to, const YAML::Node& value, const value_mistake& report);

}  // namespace parley::config
