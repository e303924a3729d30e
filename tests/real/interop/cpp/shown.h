// How values are shown, so that both ends can be compared as text.
#ifndef SHOWN_H
#define SHOWN_H

#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>

#include "interop.hh"

namespace shown {

inline std::string color(T::Color c) {
  return c == T::red ? "red" : c == T::green ? "green" : "blue";
}

inline std::string node(const T::Node& n) {
  std::ostringstream out;
  out << "(" << n.v;
  for (CORBA::ULong i = 0; i < n.kids.length(); ++i) out << " " << node(n.kids[i]);
  out << ")";
  return out.str();
}

inline std::string choice(const T::U& u) {
  std::ostringstream out;
  out << color(u._d()) << "=";
  switch (u._d()) {
    case T::red: out << u.l(); break;
    case T::green: out << u.s(); break;
    default: out << u.d();
  }
  return out.str();
}

inline std::string record(const T::S& s) {
  std::ostringstream out;
  out << "{" << s.a << " " << s.b << " " << choice(s.uu) << "}";
  return out.str();
}

inline std::string wide(const CORBA::WChar* text) {
  std::ostringstream out;
  for (; *text; ++text) out << "." << std::hex << static_cast<unsigned long>(*text);
  return out.str();
}

inline std::string octets(const T::Octets& o) {
  unsigned long sum = 0;
  for (CORBA::ULong i = 0; i < o.length(); ++i) sum = (sum * 31 + o[i]) & 0xffffffff;
  std::ostringstream out;
  out << o.length() << ":" << sum;
  return out.str();
}

inline std::string bytes(const char* text) {
  std::ostringstream out;
  for (; *text; ++text)
    out << "." << std::hex << static_cast<unsigned>(static_cast<unsigned char>(*text));
  return out.str();
}

inline std::string any(const CORBA::Any& a) {
  const T::S* s;
  const T::Node* n;
  const T::U* u;
  const char* text;
  const CORBA::WChar* wtext;
  T::Color c;
  CORBA::Short sh;
  CORBA::Long l;
  CORBA::LongLong ll;
  CORBA::Double d;
  CORBA::Object_var o;
  const CORBA::Any* inner;
  CORBA::TypeCode_var type = a.type();
  std::ostringstream out;
  if (type->kind() == CORBA::tk_null) return "nothing";
  if (a >>= s) out << "S" << record(*s);
  else if (a >>= n) out << "Node" << node(*n);
  else if (a >>= u) out << "U " << choice(*u);
  else if (a >>= c) out << "Color " << color(c);
  else if (a >>= text) out << "string " << text;
  else if (a >>= wtext) out << "wstring " << wide(wtext);
  else if (a >>= sh) out << "short " << sh;
  else if (a >>= l) out << "long " << l;
  else if (a >>= ll) out << "longlong " << ll;
  else if (a >>= d) out << "double " << d;
  else if (a >>= inner) out << "any " << any(*inner);
  else if (a >>= CORBA::Any::to_object(o.out())) out << "object " << (CORBA::is_nil(o) ? "nil" : "live");
  else out << "kind " << type->kind();
  return out.str();
}

inline std::string system(const CORBA::SystemException& e) {
  std::ostringstream out;
  out << e._name() << " minor " << std::hex << e.minor() << " completed " << std::dec
      << static_cast<int>(e.completed());
  return out.str();
}

}  // namespace shown

#endif
