// A client of the trader: it does all that there is, and says what came of it, a line each.
//
// Usage: trading REFERENCE [-ORB options]. Lines that begin with `!` are exceptions with members.
#include <chrono>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "trading.hh"

using namespace CosTrading;
using CosTradingRepos::ServiceTypeRepository;
using CosTradingRepos::ServiceTypeRepository_var;
typedef std::string Text;
typedef std::vector<std::pair<Text, CORBA::Any>> Pairs;

static CORBA::ORB_var orb;

static void say(const Text& line) { std::cout << line << std::endl; }

template <typename Value>
static CORBA::Any any(const Value& value) {
  CORBA::Any made;
  made <<= value;
  return made;
}

static CORBA::Any yes(bool value) { CORBA::Any made; made <<= CORBA::Any::from_boolean(value); return made; }

static Text shown(const CORBA::Any& value) {
  std::ostringstream out;
  CORBA::Double real;
  CORBA::Long whole;
  CORBA::Boolean truth;
  const char* text;
  if (value >>= real) out << real;
  else if (value >>= whole) out << whole;
  else if (value >>= CORBA::Any::to_boolean(truth)) out << (truth ? "TRUE" : "FALSE");
  else if (value >>= text) out << text;
  else out << "?";
  return out.str();
}

template <typename Seq>
static Seq seq_of(const Pairs& pairs) {
  Seq made;
  made.length(pairs.size());
  for (size_t k = 0; k < pairs.size(); ++k) {
    made[k].name = pairs[k].first.c_str();
    made[k].value = pairs[k].second;
  }
  return made;
}

template <typename Seq>
static Seq names_of(const std::vector<Text>& names) {
  Seq made;
  made.length(names.size());
  for (size_t k = 0; k < names.size(); ++k) made[k] = names[k].c_str();
  return made;
}

template <typename Seq>
static Text joined(const Seq& names) {
  Text text;
  for (CORBA::ULong k = 0; k < names.length(); ++k)
    text += (k ? "," : "") + Text(static_cast<const char*>(names[k]));
  return text;
}

static Text shown(const PropertySeq& all) {
  Text text;
  for (CORBA::ULong k = 0; k < all.length(); ++k)
    text += (k ? " " : "") + Text(static_cast<const char*>(all[k].name)) + "=" + shown(all[k].value);
  return text;
}

static Text shown(const OfferSeq& offers) {
  Text text;
  for (CORBA::ULong k = 0; k < offers.length(); ++k)
    text += (k ? "; " : "") + shown(offers[k].properties) +
            (CORBA::is_nil(offers[k].reference) ? " nil" : "");
  return text;
}

// ---------------------------------------------------------------- exceptions

#define MEMBERS(Kind, text) \
  if (auto* e = Kind::_downcast(&raised)) { (void)e; say(name + " " + (text)); return; }

static Text definition(const ServiceTypeRepository::PropStruct& one) {
  std::ostringstream out;
  out << one.name << "/" << one.value_type->kind() << "/" << one.mode;
  return out.str();
}

static void tell(const CORBA::Exception& raised) {
  Text name = Text("! ") + raised._name();
  typedef Register R;
  typedef ServiceTypeRepository S;
  MEMBERS(PropertyTypeMismatch, Text(e->type) + " " + Text(e->prop.name) + "=" + shown(e->prop.value))
  MEMBERS(MissingMandatoryProperty, Text(e->type) + " " + Text(e->name))
  MEMBERS(IllegalConstraint, Text(e->constr))
  MEMBERS(IllegalServiceType, Text(e->type))
  MEMBERS(UnknownServiceType, Text(e->type))
  MEMBERS(DuplicatePropertyName, Text(e->name))
  MEMBERS(DuplicatePolicyName, Text(e->name))
  MEMBERS(UnknownOfferId, Text(e->id))
  MEMBERS(IllegalOfferId, Text(e->id))
  MEMBERS(R::MandatoryProperty, Text(e->type) + " " + Text(e->name))
  MEMBERS(R::ReadonlyProperty, Text(e->type) + " " + Text(e->name))
  MEMBERS(R::InvalidObjectRef, Text(CORBA::is_nil(e->ref) ? "nil" : "object"))
  MEMBERS(R::UnknownTraderName, joined(e->name))
  MEMBERS(R::NoMatchingOffers, Text(e->constr))
  MEMBERS(Lookup::IllegalPreference, Text(e->pref))
  MEMBERS(Lookup::PolicyTypeMismatch, Text(e->the_policy.name) + "=" + shown(e->the_policy.value))
  MEMBERS(Link::DefaultFollowTooPermissive,
          std::to_string(e->def_pass_on_follow_rule) + " " + std::to_string(e->limiting_follow_rule))
  MEMBERS(InvalidLookupRef, Text(CORBA::is_nil(e->target) ? "nil" : "object"))
  MEMBERS(S::ValueTypeRedefinition, Text(e->type_1) + " " + definition(e->definition_1) + " " +
                                        Text(e->type_2) + " " + definition(e->definition_2))
  MEMBERS(S::HasSubTypes, Text(e->the_type) + " " + Text(e->sub_type))
  MEMBERS(S::AlreadyMasked, Text(e->name))
  say(name);
}

static void fails(const std::function<void()>& act) {
  try {
    act();
    say("nothing was raised");
  } catch (const CORBA::Exception& raised) {
    tell(raised);
  }
}

// ---------------------------------------------------------------- what is evaluated

class Meter : public POA_CosTradingDynamic::DynamicPropEval {
 public:
  CORBA::Any* evalDP(const char* name, CORBA::TypeCode_ptr type, const CORBA::Any& extra) override {
    const char* text = "";
    extra >>= text;
    if (Text(text) == "fail") throw CosTradingDynamic::DPEvalFailure(name, type, extra);
    if (Text(text) == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
    return new CORBA::Any(any(CORBA::Double(std::stod(text))));
  }
};

static Meter meter;

static CORBA::Any dynamic(const char* extra) {
  CosTradingDynamic::DynamicProp made;
  made.eval_if = meter._this();
  made.returned_type = CORBA::TypeCode::_duplicate(CORBA::_tc_double);
  made.extra_info <<= extra;
  return any(made);
}

// ---------------------------------------------------------------- the scenario

static ServiceTypeRepository::PropStructSeq definitions(
    const std::vector<std::tuple<const char*, CORBA::TypeCode_ptr, int>>& given) {
  ServiceTypeRepository::PropStructSeq made;
  made.length(given.size());
  for (size_t k = 0; k < given.size(); ++k) {
    made[k].name = std::get<0>(given[k]);
    made[k].value_type = CORBA::TypeCode::_duplicate(std::get<1>(given[k]));
    made[k].mode = ServiceTypeRepository::PropertyMode(std::get<2>(given[k]));
  }
  return made;
}

class Trader {
 public:
  explicit Trader(Lookup_ptr given) : lookup(Lookup::_duplicate(given)) {
    registers = lookup->register_if();
    links = lookup->link_if();
    admin = lookup->admin_if();
    CORBA::Object_var repository = lookup->type_repos();
    types = ServiceTypeRepository::_narrow(repository);
  }

  Text query(const char* constraint, const char* preference = "", const Pairs& policies = {},
             CORBA::ULong how_many = 100, const char* type = "Printer") {
    OfferSeq_var offers;
    OfferIterator_var rest;
    PolicyNameSeq_var limits;
    Lookup::SpecifiedProps desired;
    desired.prop_names(names_of<PropertyNameSeq>({"cost", "site"}));
    lookup->query(type, constraint, preference, seq_of<PolicySeq>(policies), desired, how_many,
                  offers, rest, limits);
    Text text = shown(offers.in());
    if (!CORBA::is_nil(rest)) {
      text += " | left " + std::to_string(rest->max_left());
      CORBA::Boolean more = true;
      while (more) {
        more = rest->next_n(1, offers);
        text += " | " + shown(offers.in());
      }
      rest->destroy();
    }
    return text + (limits->length() ? " limits " + joined(limits.in()) : "");
  }

  Text add(const Pairs& properties, const char* type = "Printer") {
    OfferId_var id = registers->_cxx_export(lookup, type, seq_of<PropertySeq>(properties));
    return id.in();
  }

  Lookup_var lookup;
  Register_var registers;
  Link_var links;
  Admin_var admin;
  ServiceTypeRepository_var types;
};

static void with_types(Trader& t) {
  auto printer = definitions({{"cost", CORBA::_tc_double, 2}, {"site", CORBA::_tc_string, 1}});
  typedef ServiceTypeRepository::ServiceTypeNameSeq Names;
  auto number = t.types->add_type("Printer", "Interface", printer, Names());
  say("incarnation " + std::to_string(number.high) + " " + std::to_string(number.low));
  t.types->add_type("Plotter", "Interface", definitions({}), names_of<Names>({"Printer"}));
  ServiceTypeRepository::TypeStruct_var full = t.types->fully_describe_type("Plotter");
  say("plotter " + definition(full->props[0]) + " " + joined(full->super_types));
  ServiceTypeRepository::SpecifiedServiceTypes since;
  since.incarnation(ServiceTypeRepository::IncarnationNumber{0, 2});
  ServiceTypeRepository::ServiceTypeNameSeq_var listed = t.types->list_types(since);
  say("since 2 " + joined(listed.in()));
  fails([&] { t.types->remove_type("Printer"); });
  fails([&] {
    t.types->add_type("New", "I", definitions({{"cost", CORBA::_tc_long, 2}}),
                      names_of<Names>({"Printer"}));
  });
  fails([&] { t.types->add_type("1", "", definitions({}), Names()); });
}

static void with_offers(Trader& t) {
  say(t.add({{"cost", any(CORBA::Double(9.5))}, {"site", any("Graz")}}));
  say(t.add({{"cost", any(CORBA::Double(4))}, {"site", any("Wien")}}));
  say(t.add({{"cost", any(CORBA::Double(1))}}, "Plotter"));
  say(t.query("", "min cost"));
  say(t.query("cost < 9", "with site == 'Wien'"));
  say(t.query("", "max cost", {}, 1));
  say(t.query("", "first", {{"exact_type_match", yes(true)}, {"return_card", any(CORBA::ULong(1))}}));
  say(t.query("", "", {{"search_card", any(CORBA::ULong(2))}}));
  t.registers->modify("Printer/1", names_of<PropertyNameSeq>({}),
                      seq_of<PropertySeq>({{"cost", any(CORBA::Double(3))}}));
  Register::OfferInfo_var told = t.registers->describe("Printer/1");
  say(Text(told->type) + " " + shown(told->properties) + " " +
      (told->reference->_is_equivalent(t.lookup) ? "same" : "other"));
  t.types->mask_type("Printer");
  fails([&] { t.types->mask_type("Printer"); });
  fails([&] { t.add({{"cost", any(CORBA::Double(1))}}); });
  t.types->unmask_type("Printer");
  t.registers->withdraw("Plotter/3");
  t.registers->withdraw_using_constraint("Printer", "site == 'Wien'");
  say(t.query(""));
  OfferIdSeq_var ids;
  OfferIdIterator_var rest;
  t.add({{"cost", any(CORBA::Double(7))}});
  t.admin->list_offers(1, ids, rest);
  say(joined(ids.in()));
  fails([&] { rest->max_left(); });
  bool more = rest->next_n(5, ids);
  say(joined(ids.in()) + (more ? " more" : " end"));
  rest->destroy();
  fails([&] { rest->next_n(1, ids); });
}

static void with_exceptions(Trader& t) {
  auto none = names_of<PropertyNameSeq>({});
  fails([&] { t.add({{"cost", any("much")}}); });
  fails([&] { t.add({}); });
  fails([&] { t.add({{"cost", any(CORBA::Double(1))}, {"cost", any(CORBA::Double(1))}}); });
  fails([&] { t.registers->_cxx_export(CORBA::Object::_nil(), "Printer", PropertySeq()); });
  fails([&] { t.registers->withdraw("Printer/99"); });
  fails([&] { t.registers->withdraw("x y"); });
  fails([&] { t.registers->modify("Printer/1", names_of<PropertyNameSeq>({"cost"}), PropertySeq()); });
  fails([&] { t.registers->modify("Printer/1", names_of<PropertyNameSeq>({"site"}), PropertySeq()); });
  fails([&] { t.registers->withdraw_using_constraint("Printer", "cost > 99"); });
  fails([&] { t.registers->resolve(names_of<TraderName>({"nowhere"})); });
  fails([&] { t.query("cost ="); });
  fails([&] { t.query("", "best"); });
  fails([&] { t.query("", "", {}, 1, "No"); });
  fails([&] { t.query("", "", {{"search_card", any("x")}}); });
  fails([&] { t.query("", "", {{"hop_count", any(CORBA::ULong(1))}, {"hop_count", any(CORBA::ULong(1))}}); });
  fails([&] { t.links->add_link("l", Lookup::_nil(), local_only, always); });
  fails([&] { t.links->add_link("l", t.lookup, always, local_only); });
  fails([&] { t.admin->list_proxies(1, OfferIdSeq_var().out(), OfferIdIterator_var().out()); });
}

static void with_dynamic(Trader& t) {
  for (const char* extra : {"0.5", "50", "fail", "hang"})
    t.add({{"cost", dynamic(extra)}});
  say(t.query("cost < 5", "min cost"));
  say(t.query("cost < 5", "", {{"use_dynamic_properties", yes(false)}}));
}

static void with_links(Trader& t) {
  t.admin->set_max_hop_count(3);
  t.admin->set_max_follow_policy(always);
  t.links->add_link("back", t.lookup, always, always);
  Link::LinkInfo_var told = t.links->describe_link("back");
  say(Text("link ") + (told->target_reg->_is_equivalent(t.registers) ? "register" : "other"));
  Pairs follow = {{"link_follow_rule", any(always)}, {"hop_count", any(CORBA::ULong(2))},
                  {"use_dynamic_properties", yes(false)}};
  say(t.query("cost == 7", "", follow));
}

int main(int argc, char** argv) {
  try {
    orb = CORBA::ORB_init(argc, argv);
    CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
    PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
    PortableServer::POAManager_var manager = poa->the_POAManager();
    manager->activate();
    CORBA::Object_var begin = argc > 1 && Text(argv[1]) != "-"
                                  ? orb->string_to_object(argv[1])
                                  : orb->resolve_initial_references("TradingService");
    Lookup_var lookup = Lookup::_narrow(begin);
    Trader trader(lookup);
    with_types(trader);
    with_offers(trader);
    with_exceptions(trader);
    with_dynamic(trader);
    with_links(trader);
    std::_Exit(0);  // a servant still sleeps
  } catch (const CORBA::Exception& raised) {
    tell(raised);
    return 1;
  }
}
