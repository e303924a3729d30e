// Values and events as text, read and written in the same form:
//
//   value   short:5  string:x  boolean:true  enum:green  U:green=hi  S:1;2.5;red=7
//           Node:(1(2)(3(4)))  longs:1,2  texts:a,b  object:NAME  utc:77  event:{EVENT}
//           any:{VALUE}  null:
//   event   domain|type|name|header properties|filterable properties|value
//   properties  name=value&name=value
//   types   domain::type,domain::type
#ifndef VALUES_H
#define VALUES_H

#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "notify.hh"

namespace values {

typedef std::vector<std::string> Texts;

// Objects that have a name in this program.
inline std::map<std::string, CORBA::Object_var>& objects() {
  static std::map<std::string, CORBA::Object_var> known;
  return known;
}

inline std::string object_name(CORBA::Object_ptr object) {
  if (CORBA::is_nil(object)) return "nil";
  for (auto& one : objects())
    if (!CORBA::is_nil(one.second) && object->_is_equivalent(one.second)) return one.first;
  return "unknown";
}

// The parts between separators, but for those inside braces.
inline Texts split(const std::string& text, const std::string& separator) {
  Texts parts(1);
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '{') ++depth;
    if (text[at] == '}') --depth;
    if (!depth && text.compare(at, separator.size(), separator) == 0) {
      parts.push_back("");
      at += separator.size() - 1;
    } else {
      parts.back() += text[at];
    }
  }
  if (parts.size() == 1 && parts[0].empty()) parts.clear();
  return parts;
}

inline std::string joined(const Texts& parts, const std::string& separator) {
  std::string all;
  for (size_t at = 0; at < parts.size(); ++at) all += (at ? separator : "") + parts[at];
  return all;
}

template <typename Number>
inline std::string number(Number value) {
  std::ostringstream out;
  out << std::setprecision(17) << value;
  return out.str();
}

inline std::string inside(const std::string& text) { return text.substr(1, text.size() - 2); }

// ---------------------------------------------------------------- our own types

inline T::Color color(const std::string& text) {
  return text == "red" ? T::red : text == "green" ? T::green : T::blue;
}

inline T::U choice(const std::string& text) {
  Texts parts = split(text, "=");
  T::U made;
  switch (color(parts.at(0))) {
    case T::red: made.l(std::stol(parts.at(1))); break;
    case T::green: made.s(parts.at(1).c_str()); break;
    default: made.d(std::stod(parts.at(1))); made._d(T::blue);
  }
  return made;
}

inline T::Node node(const std::string& text, size_t& at) {
  T::Node made;
  size_t used = 0;
  made.v = std::stol(text.substr(at + 1), &used);
  at += 1 + used;
  while (text.at(at) == '(') {
    CORBA::ULong length = made.kids.length();
    made.kids.length(length + 1);
    made.kids[length] = node(text, at);
  }
  ++at;
  return made;
}

inline std::string node_text(const T::Node& node) {
  std::string all = "(" + number(node.v);
  for (CORBA::ULong k = 0; k < node.kids.length(); ++k) all += node_text(node.kids[k]);
  return all + ")";
}

// ---------------------------------------------------------------- anys

CosNotification::StructuredEvent event(const std::string& text);
std::string event_text(const CosNotification::StructuredEvent& event);

inline CORBA::Any value(const std::string& text) {
  size_t colon = text.find(':');
  std::string kind = text.substr(0, colon), rest = text.substr(colon + 1);
  CORBA::Any made;
  if (kind == "null") return made;
  if (kind == "boolean") made <<= CORBA::Any::from_boolean(rest == "true");
  else if (kind == "octet") made <<= CORBA::Any::from_octet(std::stoi(rest));
  else if (kind == "char") made <<= CORBA::Any::from_char(rest.at(0));
  else if (kind == "short") made <<= static_cast<CORBA::Short>(std::stoi(rest));
  else if (kind == "ushort") made <<= static_cast<CORBA::UShort>(std::stoi(rest));
  else if (kind == "long") made <<= static_cast<CORBA::Long>(std::stol(rest));
  else if (kind == "ulong") made <<= static_cast<CORBA::ULong>(std::stoul(rest));
  else if (kind == "longlong") made <<= static_cast<CORBA::LongLong>(std::stoll(rest));
  else if (kind == "ulonglong") made <<= static_cast<CORBA::ULongLong>(std::stoull(rest));
  else if (kind == "float") made <<= static_cast<CORBA::Float>(std::stof(rest));
  else if (kind == "double") made <<= static_cast<CORBA::Double>(std::stod(rest));
  else if (kind == "string") made <<= rest.c_str();
  else if (kind == "enum") made <<= color(rest);
  else if (kind == "U") made <<= choice(rest);
  else if (kind == "any") made <<= value(inside(rest));
  else if (kind == "event") made <<= event(inside(rest));
  else if (kind == "object") made <<= objects().at(rest).in();
  else if (kind == "S") {
    Texts parts = split(rest, ";");
    T::S record;
    record.a = std::stoi(parts.at(0));
    record.b = std::stod(parts.at(1));
    record.uu = choice(parts.at(2));
    made <<= record;
  } else if (kind == "Node") {
    size_t at = 0;
    made <<= node(rest, at);
  } else if (kind == "longs") {
    N::Longs all;
    for (auto& one : split(rest, ",")) {
      all.length(all.length() + 1);
      all[all.length() - 1] = std::stol(one);
    }
    made <<= all;
  } else if (kind == "texts") {
    N::Texts all;
    for (auto& one : split(rest, ",")) {
      all.length(all.length() + 1);
      all[all.length() - 1] = one.c_str();
    }
    made <<= all;
  } else if (kind == "utc") {
    TimeBase::UtcT time = {std::stoull(rest), 0, 0, 0};
    made <<= time;
  } else {
    throw std::runtime_error("no value: " + text);
  }
  return made;
}

inline std::string choice_text(const T::U& u) {
  switch (u._d()) {
    case T::red: return "red=" + number(u.l());
    case T::green: return std::string("green=") + u.s();
    default: return "blue=" + number(u.d());
  }
}

inline std::string plain_text(const CORBA::Any& any) {
  CORBA::Boolean boolean;
  CORBA::Octet octet;
  CORBA::Char character;
  CORBA::Short s;
  CORBA::UShort us;
  CORBA::Long l;
  CORBA::ULong ul;
  CORBA::LongLong ll;
  CORBA::ULongLong ull;
  CORBA::Float f;
  CORBA::Double d;
  const char* text;
  if (any >>= CORBA::Any::to_boolean(boolean)) return boolean ? "boolean:true" : "boolean:false";
  if (any >>= CORBA::Any::to_octet(octet)) return "octet:" + number(static_cast<int>(octet));
  if (any >>= CORBA::Any::to_char(character)) return std::string("char:") + static_cast<char>(character);
  if (any >>= s) return "short:" + number(s);
  if (any >>= us) return "ushort:" + number(us);
  if (any >>= l) return "long:" + number(l);
  if (any >>= ul) return "ulong:" + number(ul);
  if (any >>= ll) return "longlong:" + number(ll);
  if (any >>= ull) return "ulonglong:" + number(ull);
  if (any >>= f) return "float:" + number(f);
  if (any >>= d) return "double:" + number(d);
  if (any >>= text) return std::string("string:") + text;
  return "";
}

inline std::string value_text(const CORBA::Any& any) {
  CORBA::TypeCode_var type = any.type();
  if (type->kind() == CORBA::tk_null || type->kind() == CORBA::tk_void) return "null:";
  std::string plain = plain_text(any);
  if (!plain.empty()) return plain;
  const CosNotification::StructuredEvent* event;
  const TimeBase::UtcT* time;
  const T::S* record;
  const T::Node* tree;
  const T::U* u;
  const N::Longs* longs;
  const N::Texts* texts;
  const CORBA::Any* inner;
  T::Color label;
  CORBA::Object_var object;
  if (any >>= event) return "event:{" + event_text(*event) + "}";
  if (any >>= time) return "utc:" + number(time->time);
  if (any >>= record)
    return "S:" + number(record->a) + ";" + number(record->b) + ";" + choice_text(record->uu);
  if (any >>= tree) return "Node:" + node_text(*tree);
  if (any >>= u) return "U:" + choice_text(*u);
  if (any >>= label)
    return label == T::red ? "enum:red" : label == T::green ? "enum:green" : "enum:blue";
  if (any >>= inner) return "any:{" + value_text(*inner) + "}";
  Texts parts;
  if (any >>= longs) {
    for (CORBA::ULong k = 0; k < longs->length(); ++k) parts.push_back(number((*longs)[k]));
    return "longs:" + joined(parts, ",");
  }
  if (any >>= texts) {
    for (CORBA::ULong k = 0; k < texts->length(); ++k)
      parts.push_back(static_cast<const char*>((*texts)[k]));
    return "texts:" + joined(parts, ",");
  }
  if (any >>= CORBA::Any::to_object(object.out())) return "object:" + object_name(object);
  return "kind " + number(type->kind());
}

// ---------------------------------------------------------------- properties, types, events

inline CosNotification::PropertySeq properties(const std::string& text) {
  CosNotification::PropertySeq made;
  for (auto& one : split(text, "&")) {
    size_t equals = one.find('=');
    CORBA::ULong length = made.length();
    made.length(length + 1);
    made[length].name = one.substr(0, equals).c_str();
    made[length].value = value(one.substr(equals + 1));
  }
  return made;
}

inline std::string properties_text(const CosNotification::PropertySeq& all) {
  Texts parts;
  for (CORBA::ULong k = 0; k < all.length(); ++k)
    parts.push_back(std::string(all[k].name) + "=" + value_text(all[k].value));
  return joined(parts, "&");
}

inline CosNotification::EventTypeSeq types(const std::string& text) {
  CosNotification::EventTypeSeq made;
  for (auto& one : split(text, ",")) {
    size_t colons = one.find("::");
    CORBA::ULong length = made.length();
    made.length(length + 1);
    made[length].domain_name = one.substr(0, colons).c_str();
    made[length].type_name = one.substr(colons + 2).c_str();
  }
  return made;
}

inline std::string type_text(const CosNotification::EventType& one) {
  return std::string(one.domain_name) + "::" + static_cast<const char*>(one.type_name);
}

inline std::string types_text(const CosNotification::EventTypeSeq& all) {
  Texts parts;
  for (CORBA::ULong k = 0; k < all.length(); ++k) parts.push_back(type_text(all[k]));
  return joined(parts, ",");
}

inline CosNotification::StructuredEvent event(const std::string& text) {
  Texts parts = split(text, "|");
  CosNotification::StructuredEvent made;
  made.header.fixed_header.event_type.domain_name = parts.at(0).c_str();
  made.header.fixed_header.event_type.type_name = parts.at(1).c_str();
  made.header.fixed_header.event_name = parts.at(2).c_str();
  made.header.variable_header = properties(parts.at(3));
  made.filterable_data = properties(parts.at(4));
  made.remainder_of_body = value(parts.at(5));
  return made;
}

inline std::string event_text(const CosNotification::StructuredEvent& event) {
  const CosNotification::FixedEventHeader& fixed = event.header.fixed_header;
  return std::string(fixed.event_type.domain_name) + "|" +
         static_cast<const char*>(fixed.event_type.type_name) + "|" +
         static_cast<const char*>(fixed.event_name) + "|" +
         properties_text(event.header.variable_header) + "|" +
         properties_text(event.filterable_data) + "|" + value_text(event.remainder_of_body);
}

inline CosNotification::EventBatch batch(Texts::const_iterator from, Texts::const_iterator to) {
  CosNotification::EventBatch made;
  for (; from != to; ++from) {
    CORBA::ULong length = made.length();
    made.length(length + 1);
    made[length] = event(*from);
  }
  return made;
}

inline std::string batch_text(const CosNotification::EventBatch& events) {
  Texts parts;
  for (CORBA::ULong k = 0; k < events.length(); ++k) parts.push_back(event_text(events[k]));
  return number(events.length()) + " " + joined(parts, " ; ");
}

}  // namespace values

#endif
