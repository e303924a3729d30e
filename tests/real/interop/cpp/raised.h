// Exceptions as text: `!`, the name, and every member.
#ifndef RAISED_H
#define RAISED_H

#include "values.h"

namespace raised {

inline std::string errors(const CosNotification::PropertyErrorSeq& all) {
  static const char* codes[] = {"UNSUPPORTED_PROPERTY", "UNAVAILABLE_PROPERTY",
                                "UNSUPPORTED_VALUE",    "UNAVAILABLE_VALUE",
                                "BAD_PROPERTY",         "BAD_TYPE",
                                "BAD_VALUE"};
  std::string text;
  for (CORBA::ULong k = 0; k < all.length(); ++k)
    text += std::string(" ") + codes[all[k].code] + "," + static_cast<const char*>(all[k].name) +
            "," + values::value_text(all[k].available_range.low_val) + ".." +
            values::value_text(all[k].available_range.high_val);
  return text;
}

inline std::string constraint(const CosNotifyFilter::ConstraintExp& one) {
  return " [" + values::types_text(one.event_types) + "] " +
         static_cast<const char*>(one.constraint_expr);
}

inline std::string system_text(const CORBA::SystemException& e) {
  std::ostringstream out;
  out << "! " << e._name() << " minor " << std::hex << e.minor() << " completed " << std::dec
      << static_cast<int>(e.completed());
  return out.str();
}

inline std::string text(const CORBA::Exception& e) {
  if (auto* one = CORBA::SystemException::_downcast(&e)) return system_text(*one);
  std::string name = std::string("! ") + e._name();
  if (auto* one = CosNotification::UnsupportedQoS::_downcast(&e)) return name + errors(one->qos_err);
  if (auto* one = CosNotification::UnsupportedAdmin::_downcast(&e))
    return name + errors(one->admin_err);
  if (auto* one = CosNotifyFilter::InvalidConstraint::_downcast(&e))
    return name + constraint(one->constr);
  if (auto* one = CosNotifyFilter::InvalidValue::_downcast(&e))
    return name + constraint(one->constr) + " " + values::value_text(one->value);
  if (auto* one = CosNotifyFilter::ConstraintNotFound::_downcast(&e))
    return name + " " + values::number(one->id);
  if (auto* one = CosNotifyComm::InvalidEventType::_downcast(&e))
    return name + " " + values::type_text(one->type);
  if (auto* one = CosNotifyChannelAdmin::AdminLimitExceeded::_downcast(&e))
    return name + " " + static_cast<const char*>(one->admin_property_err.name) + "=" +
           values::value_text(one->admin_property_err.value);
  return name;
}

}  // namespace raised

#endif
