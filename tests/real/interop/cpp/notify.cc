// A client of the services that does what it is told and says what came of it.
//
// Usage: notify [-ORB options]. Commands come on standard input, a line each, their words parted
// by tabs; objects go by names. The answer to each is lines, the last of them a dot. Lines that
// begin with `*` are calls to the clients that live here, lines with `!` are exceptions.
#include <functional>

#include "clients.h"
#include "raised.h"

using values::Texts;
using namespace CosNotifyChannelAdmin;
namespace Plain = CosEventChannelAdmin;

static CORBA::ORB_var orb;
static PortableServer::POA_var poa;
static std::map<std::string, clients::Client*> living;
static std::map<std::string, std::string> kinds;  // of proxies: "consumer push any" and so on

static void say(const std::string& line) { clients::say(line); }

template <typename Interface>
static typename Interface::_var_type the(const std::string& name) {
  typename Interface::_var_type found = Interface::_narrow(values::objects().at(name));
  if (CORBA::is_nil(found)) throw std::runtime_error(name + " is something else");
  return found;
}

static void keep(const std::string& name, CORBA::Object_ptr object) {
  if (name != "-") values::objects()[name] = CORBA::Object::_duplicate(object);
}

template <typename Ids>
static std::string ids_text(const Ids& ids) {
  Texts parts;
  for (CORBA::ULong k = 0; k < ids.length(); ++k) parts.push_back(values::number(ids[k]));
  return values::joined(parts, ",");
}

template <typename Ids>
static Ids ids_of(const std::string& text) {
  Ids made;
  for (auto& one : values::split(text, ",")) {
    made.length(made.length() + 1);
    made[made.length() - 1] = std::stol(one);
  }
  return made;
}

static std::string ranges_text(const CosNotification::NamedPropertyRangeSeq& all) {
  Texts parts;
  for (CORBA::ULong k = 0; k < all.length(); ++k)
    parts.push_back(std::string(all[k].name) + "=" + values::value_text(all[k].range.low_val) +
                    ".." + values::value_text(all[k].range.high_val));
  return values::joined(parts, "&");
}

// ---------------------------------------------------------------- connecting


// Makes a client, gives it a name, and hands its reference to a function.
template <typename Servant, typename Connect>
static void living_client(const std::string& name, Connect connect) {
  Servant* servant = new Servant(name);
  PortableServer::ObjectId_var id = PortableServer::string_to_ObjectId(name.c_str());
  poa->activate_object_with_id(id, servant);
  living[name] = servant;
  auto reference = servant->_this();
  keep(name, reference);
  connect(reference);
  CORBA::release(reference);
}

#define CONNECT(words, Proxy, operation, Client, Module)                                \
  if (kind == words) {                                                                  \
    auto proxy = the<Proxy>(a.at(1));                                                   \
    if (a.at(2) == "nil") proxy->operation(Module::Client::_nil());                     \
    else living_client<clients::Client>(a.at(2), [&](Module::Client##_ptr client) {     \
      proxy->operation(client);                                                         \
    });                                                                                 \
    return;                                                                             \
  }

static void connect_standard(const Texts& a, const std::string& kind) {
  CONNECT("consumer push any", ProxyPushSupplier, connect_any_push_consumer, PushConsumer,
          CosNotifyComm)
  CONNECT("consumer push structured", StructuredProxyPushSupplier,
          connect_structured_push_consumer, StructuredPushConsumer, CosNotifyComm)
  CONNECT("consumer push sequence", SequenceProxyPushSupplier, connect_sequence_push_consumer,
          SequencePushConsumer, CosNotifyComm)
  CONNECT("consumer pull any", ProxyPullSupplier, connect_any_pull_consumer, PullConsumer,
          CosNotifyComm)
  CONNECT("consumer pull structured", StructuredProxyPullSupplier,
          connect_structured_pull_consumer, StructuredPullConsumer, CosNotifyComm)
  CONNECT("consumer pull sequence", SequenceProxyPullSupplier, connect_sequence_pull_consumer,
          SequencePullConsumer, CosNotifyComm)
  CONNECT("supplier push any", ProxyPushConsumer, connect_any_push_supplier, PushSupplier,
          CosNotifyComm)
  CONNECT("supplier push structured", StructuredProxyPushConsumer,
          connect_structured_push_supplier, StructuredPushSupplier, CosNotifyComm)
  CONNECT("supplier push sequence", SequenceProxyPushConsumer, connect_sequence_push_supplier,
          SequencePushSupplier, CosNotifyComm)
  CONNECT("supplier pull any", ProxyPullConsumer, connect_any_pull_supplier, PullSupplier,
          CosNotifyComm)
  CONNECT("supplier pull structured", StructuredProxyPullConsumer,
          connect_structured_pull_supplier, StructuredPullSupplier, CosNotifyComm)
  CONNECT("supplier pull sequence", SequenceProxyPullConsumer, connect_sequence_pull_supplier,
          SequencePullSupplier, CosNotifyComm)
  throw std::runtime_error("no kind of proxy: " + kind);
}

#define CONNECT_PLAIN(words, Proxy, operation, Client, Made)                               \
  if (kind == words) {                                                                     \
    auto proxy = the<Plain::Proxy>(a.at(1));                                               \
    if (a.at(2) == "nil") proxy->operation(CosEventComm::Client::_nil());                  \
    else living_client<clients::Made>(a.at(2), [&](CosEventComm::Client##_ptr client) {    \
      proxy->operation(client);                                                            \
    });                                                                                    \
    return;                                                                                \
  }

static void connect(const Texts& a) {
  std::string kind = kinds.at(a.at(1));
  CONNECT_PLAIN("consumer push event", ProxyPushSupplier, connect_push_consumer, PushConsumer,
                EventPushConsumer)
  CONNECT_PLAIN("consumer pull event", ProxyPullSupplier, connect_pull_consumer, PullConsumer,
                EventPullConsumer)
  CONNECT_PLAIN("supplier push event", ProxyPushConsumer, connect_push_supplier, PushSupplier,
                EventPushSupplier)
  CONNECT_PLAIN("supplier pull event", ProxyPullConsumer, connect_pull_supplier, PullSupplier,
                EventPullSupplier)
  connect_standard(a, kind);
}

static void disconnect(const Texts& a) {
  CORBA::Object_ptr object = values::objects().at(a.at(1));
  std::string kind = kinds.at(a.at(1));
  bool push = kind.find(" push ") != std::string::npos;
  bool supplier = kind.find("supplier") == 0;
  std::string form = kind.substr(kind.rfind(' ') + 1);
  if (form == "event" || form == "any") {
    if (supplier && push) CosEventComm::PushConsumer::_narrow(object)->disconnect_push_consumer();
    else if (supplier) CosEventComm::PullConsumer::_narrow(object)->disconnect_pull_consumer();
    else if (push) CosEventComm::PushSupplier::_narrow(object)->disconnect_push_supplier();
    else CosEventComm::PullSupplier::_narrow(object)->disconnect_pull_supplier();
  } else if (form == "structured") {
    if (supplier && push)
      the<StructuredProxyPushConsumer>(a.at(1))->disconnect_structured_push_consumer();
    else if (supplier)
      the<StructuredProxyPullConsumer>(a.at(1))->disconnect_structured_pull_consumer();
    else if (push)
      the<StructuredProxyPushSupplier>(a.at(1))->disconnect_structured_push_supplier();
    else the<StructuredProxyPullSupplier>(a.at(1))->disconnect_structured_pull_supplier();
  } else {
    if (supplier && push)
      the<SequenceProxyPushConsumer>(a.at(1))->disconnect_sequence_push_consumer();
    else if (supplier)
      the<SequenceProxyPullConsumer>(a.at(1))->disconnect_sequence_pull_consumer();
    else if (push) the<SequenceProxyPushSupplier>(a.at(1))->disconnect_sequence_push_supplier();
    else the<SequenceProxyPullSupplier>(a.at(1))->disconnect_sequence_pull_supplier();
  }
}

// Suspends or resumes whatever kind of proxy it is.
static void pause(const Texts& a) {
  std::string kind = kinds.at(a.at(1));
  bool resume = a.at(0) == "resume";
#define PAUSE(words, Proxy)                                  \
  if (kind == words) {                                       \
    auto proxy = the<Proxy>(a.at(1));                        \
    if (resume) proxy->resume_connection();                  \
    else proxy->suspend_connection();                        \
  }
  PAUSE("consumer push any", ProxyPushSupplier)
  PAUSE("consumer push structured", StructuredProxyPushSupplier)
  PAUSE("consumer push sequence", SequenceProxyPushSupplier)
  PAUSE("supplier pull any", ProxyPullConsumer)
  PAUSE("supplier pull structured", StructuredProxyPullConsumer)
  PAUSE("supplier pull sequence", SequenceProxyPullConsumer)
}

// ---------------------------------------------------------------- events

static void push(const Texts& a) {
  std::string kind = kinds.at(a.at(1));
  if (kind == "supplier push any" || kind == "supplier push event") {
    CosEventComm::PushConsumer_var proxy = the<CosEventComm::PushConsumer>(a.at(1));
    for (size_t k = 2; k < a.size(); ++k) proxy->push(values::value(a[k]));
  } else if (kind == "supplier push structured") {
    StructuredProxyPushConsumer_var proxy = the<StructuredProxyPushConsumer>(a.at(1));
    for (size_t k = 2; k < a.size(); ++k) proxy->push_structured_event(values::event(a[k]));
  } else {
    the<SequenceProxyPushConsumer>(a.at(1))->push_structured_events(
        values::batch(a.begin() + 2, a.end()));
  }
}

static void pull(const Texts& a) {
  std::string kind = kinds.at(a.at(1));
  CORBA::Boolean has = true;
  bool waits = a.at(0) == "pull";
  if (kind == "consumer pull any" || kind == "consumer pull event") {
    CosEventComm::PullSupplier_var proxy = the<CosEventComm::PullSupplier>(a.at(1));
    CORBA::Any_var got = waits ? proxy->pull() : proxy->try_pull(has);
    say((has ? "" : "none ") + values::value_text(got));
  } else if (kind == "consumer pull structured") {
    StructuredProxyPullSupplier_var proxy = the<StructuredProxyPullSupplier>(a.at(1));
    CosNotification::StructuredEvent_var got =
        waits ? proxy->pull_structured_event() : proxy->try_pull_structured_event(has);
    say((has ? "" : "none ") + values::event_text(got));
  } else {
    SequenceProxyPullSupplier_var proxy = the<SequenceProxyPullSupplier>(a.at(1));
    CORBA::Long most = std::stol(a.at(2));
    CosNotification::EventBatch_var got = waits ? proxy->pull_structured_events(most)
                                                : proxy->try_pull_structured_events(most, has);
    say((has ? "" : "none ") + values::batch_text(got));
  }
}

// ---------------------------------------------------------------- channels and admins

static void create_channel(const Texts& a) {
  ChannelID id = -1;
  EventChannel_var made = the<EventChannelFactory>(a.at(2))->create_channel(
      values::properties(a.at(3)), values::properties(a.at(4)), id);
  keep(a.at(1), made);
  say("id " + values::number(id));
}

static void new_admin(const Texts& a) {
  AdminID id = -1;
  InterFilterGroupOperator op = a.at(4) == "AND" ? AND_OP : OR_OP;
  EventChannel_var channel = the<EventChannel>(a.at(2));
  if (a.at(3) == "consumers")
    keep(a.at(1), ConsumerAdmin_var(channel->new_for_consumers(op, id)));
  else
    keep(a.at(1), SupplierAdmin_var(channel->new_for_suppliers(op, id)));
  say("id " + values::number(id));
}

static void obtain(const Texts& a) {
  ProxyID id = -1;
  std::string style = a.at(3), form = a.at(4);
  ClientType type = form == "any" ? ANY_EVENT
                    : form == "structured" ? STRUCTURED_EVENT : SEQUENCE_EVENT;
  ConsumerAdmin_var consumers = ConsumerAdmin::_narrow(values::objects().at(a.at(2)));
  SupplierAdmin_var suppliers = SupplierAdmin::_narrow(values::objects().at(a.at(2)));
  CORBA::Object_var made;
  bool push = style == "push";
  if (!CORBA::is_nil(consumers)) {
    if (form == "event" && push) made = consumers->obtain_push_supplier();
    else if (form == "event") made = consumers->obtain_pull_supplier();
    else if (push) made = consumers->obtain_notification_push_supplier(type, id);
    else made = consumers->obtain_notification_pull_supplier(type, id);
  } else {
    if (form == "event" && push) made = suppliers->obtain_push_consumer();
    else if (form == "event") made = suppliers->obtain_pull_consumer();
    else if (push) made = suppliers->obtain_notification_push_consumer(type, id);
    else made = suppliers->obtain_notification_pull_consumer(type, id);
  }
  keep(a.at(1), made);
  kinds[a.at(1)] = std::string(CORBA::is_nil(consumers) ? "supplier " : "consumer ") + style +
                   " " + form;
  say("id " + values::number(id));
}

// A proxy of a channel that knows the Event Service only.
static void plain(const Texts& a) {
  Plain::EventChannel_var channel = the<Plain::EventChannel>(a.at(2));
  CORBA::Object_var made;
  if (a.at(3) == "push consumer")
    made = Plain::ConsumerAdmin_var(channel->for_consumers())->obtain_push_supplier();
  else made = Plain::SupplierAdmin_var(channel->for_suppliers())->obtain_push_consumer();
  keep(a.at(1), made);
}

// References that are attributes, or got without an id.
static void get(const Texts& a) {
  CORBA::Object_ptr of = values::objects().at(a.at(2));
  std::string what = a.at(3);
  EventChannel_var channel = EventChannel::_narrow(of);
  ConsumerAdmin_var consumers = ConsumerAdmin::_narrow(of);
  SupplierAdmin_var suppliers = SupplierAdmin::_narrow(of);
  ProxySupplier_var supplier = ProxySupplier::_narrow(of);
  ProxyConsumer_var consumer = ProxyConsumer::_narrow(of);
  CORBA::Object_var found;
  if (what == "MyFactory") found = channel->MyFactory();
  else if (what == "default_consumer_admin") found = channel->default_consumer_admin();
  else if (what == "default_supplier_admin") found = channel->default_supplier_admin();
  else if (what == "default_filter_factory") found = channel->default_filter_factory();
  else if (what == "for_consumers") found = channel->for_consumers();
  else if (what == "for_suppliers") found = channel->for_suppliers();
  else if (what == "MyChannel" && !CORBA::is_nil(consumers)) found = consumers->MyChannel();
  else if (what == "MyChannel") found = suppliers->MyChannel();
  else if (what == "MyAdmin" && !CORBA::is_nil(supplier)) found = supplier->MyAdmin();
  else if (what == "MyAdmin") found = consumer->MyAdmin();
  else if (what == "priority_filter" && !CORBA::is_nil(supplier)) found = supplier->priority_filter();
  else if (what == "priority_filter") found = consumers->priority_filter();
  else if (what == "lifetime_filter" && !CORBA::is_nil(supplier)) found = supplier->lifetime_filter();
  else if (what == "lifetime_filter") found = consumers->lifetime_filter();
  else throw std::runtime_error("no attribute: " + what);
  say(values::object_name(found));
  keep(a.at(1), found);
}

// Objects by their ids.
static void find(const Texts& a) {
  CORBA::Object_ptr in = values::objects().at(a.at(2));
  std::string what = a.at(3);
  CORBA::Long id = std::stol(a.at(4));
  CORBA::Object_var found;
  if (what == "channel") found = the<EventChannelFactory>(a.at(2))->get_event_channel(id);
  else if (what == "consumers") found = the<EventChannel>(a.at(2))->get_consumeradmin(id);
  else if (what == "suppliers") found = the<EventChannel>(a.at(2))->get_supplieradmin(id);
  else if (what == "filter") found = the<CosNotifyFilter::FilterAdmin>(a.at(2))->get_filter(id);
  else if (!CORBA::is_nil(ConsumerAdmin_var(ConsumerAdmin::_narrow(in))))
    found = the<ConsumerAdmin>(a.at(2))->get_proxy_supplier(id);
  else found = the<SupplierAdmin>(a.at(2))->get_proxy_consumer(id);
  say(values::object_name(found));
  keep(a.at(1), found);
}

// Attributes that are values, and lists of ids.
static void show(const Texts& a) {
  CORBA::Object_ptr of = values::objects().at(a.at(1));
  std::string what = a.at(2);
  ConsumerAdmin_var consumers = ConsumerAdmin::_narrow(of);
  SupplierAdmin_var suppliers = SupplierAdmin::_narrow(of);
  ProxySupplier_var supplier = ProxySupplier::_narrow(of);
  ProxyConsumer_var consumer = ProxyConsumer::_narrow(of);
  bool consuming = !CORBA::is_nil(consumers);
  if (what == "MyType")
    say(values::number(CORBA::is_nil(supplier) ? consumer->MyType() : supplier->MyType()));
  else if (what == "MyID") say(values::number(consuming ? consumers->MyID() : suppliers->MyID()));
  else if (what == "MyOperator")
    say((consuming ? consumers->MyOperator() : suppliers->MyOperator()) == AND_OP ? "AND" : "OR");
  else if (what == "push")
    say(ids_text(ProxyIDSeq_var(consuming ? consumers->push_suppliers()
                                          : suppliers->push_consumers()).in()));
  else if (what == "pull")
    say(ids_text(ProxyIDSeq_var(consuming ? consumers->pull_suppliers()
                                          : suppliers->pull_consumers()).in()));
  else if (what == "channels")
    say(ids_text(ChannelIDSeq_var(the<EventChannelFactory>(a.at(1))->get_all_channels()).in()));
  else if (what == "consumers")
    say(ids_text(AdminIDSeq_var(the<EventChannel>(a.at(1))->get_all_consumeradmins()).in()));
  else if (what == "suppliers")
    say(ids_text(AdminIDSeq_var(the<EventChannel>(a.at(1))->get_all_supplieradmins()).in()));
  else throw std::runtime_error("no attribute: " + what);
}

static void destroy(const Texts& a) {
  CORBA::Object_ptr object = values::objects().at(a.at(1));
  if (auto* one = EventChannel::_narrow(object); !CORBA::is_nil(one)) one->destroy();
  else if (auto* admin = ConsumerAdmin::_narrow(object); !CORBA::is_nil(admin)) admin->destroy();
  else if (auto* other = SupplierAdmin::_narrow(object); !CORBA::is_nil(other)) other->destroy();
  else if (auto* filter = CosNotifyFilter::Filter::_narrow(object); !CORBA::is_nil(filter))
    filter->destroy();
  else the<CosNotifyFilter::MappingFilter>(a.at(1))->destroy();
}

// ---------------------------------------------------------------- properties

static void qos(const Texts& a) {
  if (a.at(0) == "get_admin" || a.at(0) == "set_admin") {
    EventChannel_var channel = the<EventChannel>(a.at(1));
    if (a.at(0) == "set_admin") channel->set_admin(values::properties(a.at(2)));
    else say(values::properties_text(CosNotification::AdminProperties_var(channel->get_admin())));
    return;
  }
  CosNotification::NamedPropertyRangeSeq_var ranges;
  if (a.at(0) == "validate_event_qos") {
    ProxySupplier_var supplier = ProxySupplier::_narrow(values::objects().at(a.at(1)));
    if (CORBA::is_nil(supplier))
      the<ProxyConsumer>(a.at(1))->validate_event_qos(values::properties(a.at(2)), ranges.out());
    else supplier->validate_event_qos(values::properties(a.at(2)), ranges.out());
    say(ranges_text(ranges));
    return;
  }
  CosNotification::QoSAdmin_var object = the<CosNotification::QoSAdmin>(a.at(1));
  if (a.at(0) == "get_qos")
    say(values::properties_text(CosNotification::QoSProperties_var(object->get_qos())));
  else if (a.at(0) == "set_qos") object->set_qos(values::properties(a.at(2)));
  else {
    object->validate_qos(values::properties(a.at(2)), ranges.out());
    say(ranges_text(ranges));
  }
}

// ---------------------------------------------------------------- filters

static CosNotifyFilter::ConstraintExp expression(const std::string& types,
                                                 const std::string& text) {
  CosNotifyFilter::ConstraintExp made;
  made.event_types = values::types(types);
  made.constraint_expr = text.c_str();
  return made;
}

static void say_constraints(const CosNotifyFilter::ConstraintInfoSeq& all) {
  for (CORBA::ULong k = 0; k < all.length(); ++k)
    say(values::number(all[k].constraint_id) + raised::constraint(all[k].constraint_expression));
}

static void say_mapped(const CosNotifyFilter::MappingConstraintInfoSeq& all) {
  for (CORBA::ULong k = 0; k < all.length(); ++k)
    say(values::number(all[k].constraint_id) + raised::constraint(all[k].constraint_expression) +
        " -> " + values::value_text(all[k].value));
}

static void constraints(const Texts& a) {
  using namespace CosNotifyFilter;
  Filter_var filter = the<Filter>(a.at(1));
  if (a.at(0) == "add_constraints") {
    ConstraintExpSeq all;
    for (size_t k = 2; k + 1 < a.size(); k += 2) {
      all.length(all.length() + 1);
      all[all.length() - 1] = expression(a[k], a[k + 1]);
    }
    say_constraints(ConstraintInfoSeq_var(filter->add_constraints(all)));
  } else if (a.at(0) == "modify_constraints") {
    ConstraintInfoSeq all;
    for (size_t k = 3; k + 2 < a.size(); k += 3) {
      all.length(all.length() + 1);
      all[all.length() - 1].constraint_id = std::stol(a[k]);
      all[all.length() - 1].constraint_expression = expression(a[k + 1], a[k + 2]);
    }
    filter->modify_constraints(ids_of<ConstraintIDSeq>(a.at(2)), all);
  } else if (a.at(0) == "get_constraints") {
    say_constraints(
        ConstraintInfoSeq_var(filter->get_constraints(ids_of<ConstraintIDSeq>(a.at(2)))));
  } else if (a.at(0) == "all_constraints") {
    say_constraints(ConstraintInfoSeq_var(filter->get_all_constraints()));
  } else if (a.at(0) == "remove_all_constraints") {
    filter->remove_all_constraints();
  } else if (a.at(0) == "match") {
    say(filter->match(values::value(a.at(2))) ? "true" : "false");
  } else if (a.at(0) == "match_structured") {
    say(filter->match_structured(values::event(a.at(2))) ? "true" : "false");
  } else {
    say(filter->match_typed(values::properties(a.at(2))) ? "true" : "false");
  }
}

static void mapped(const Texts& a) {
  using namespace CosNotifyFilter;
  MappingFilter_var filter = the<MappingFilter>(a.at(1));
  CORBA::Any_var result;
  if (a.at(0) == "add_mapped") {
    MappingConstraintPairSeq all;
    for (size_t k = 2; k + 2 < a.size(); k += 3) {
      all.length(all.length() + 1);
      all[all.length() - 1].constraint_expression = expression(a[k], a[k + 1]);
      all[all.length() - 1].result_to_set = values::value(a[k + 2]);
    }
    say_mapped(MappingConstraintInfoSeq_var(filter->add_mapping_constraints(all)));
  } else if (a.at(0) == "modify_mapped") {
    MappingConstraintInfoSeq all;
    for (size_t k = 3; k + 3 < a.size(); k += 4) {
      all.length(all.length() + 1);
      all[all.length() - 1].constraint_id = std::stol(a[k]);
      all[all.length() - 1].constraint_expression = expression(a[k + 1], a[k + 2]);
      all[all.length() - 1].value = values::value(a[k + 3]);
    }
    filter->modify_mapping_constraints(ids_of<ConstraintIDSeq>(a.at(2)), all);
  } else if (a.at(0) == "get_mapped") {
    say_mapped(MappingConstraintInfoSeq_var(
        filter->get_mapping_constraints(ids_of<ConstraintIDSeq>(a.at(2)))));
  } else if (a.at(0) == "all_mapped") {
    say_mapped(MappingConstraintInfoSeq_var(filter->get_all_mapping_constraints()));
  } else if (a.at(0) == "remove_all_mapped") {
    filter->remove_all_mapping_constraints();
  } else if (a.at(0) == "match_mapped") {
    bool matched = filter->match_structured(values::event(a.at(2)), result.out());
    say((matched ? "true " : "false ") + values::value_text(result));
  } else {
    CORBA::TypeCode_var type = filter->value_type();
    CORBA::Any_var normal = filter->default_value();
    CORBA::String_var grammar = filter->constraint_grammar();
    say(std::string(grammar) + " " + values::number(type->kind()) + " " +
        values::value_text(normal));
  }
}

static void filters(const Texts& a) {
  using namespace CosNotifyFilter;
  FilterAdmin_var object = the<FilterAdmin>(a.at(1));
  if (a.at(0) == "add_filter")
    say("id " + values::number(object->add_filter(
                    a.at(2) == "nil" ? Filter_var(Filter::_nil()) : the<Filter>(a.at(2)))));
  else if (a.at(0) == "remove_filter") object->remove_filter(std::stol(a.at(2)));
  else if (a.at(0) == "all_filters") say(ids_text(FilterIDSeq_var(object->get_all_filters()).in()));
  else object->remove_all_filters();
}

static void set_mapping(const Texts& a) {
  using namespace CosNotifyFilter;
  MappingFilter_var filter =
      a.at(3) == "nil" ? MappingFilter_var(MappingFilter::_nil()) : the<MappingFilter>(a.at(3));
  ProxySupplier_var proxy = ProxySupplier::_narrow(values::objects().at(a.at(1)));
  bool priority = a.at(2) == "priority";
  if (CORBA::is_nil(proxy)) {
    ConsumerAdmin_var admin = the<ConsumerAdmin>(a.at(1));
    if (priority) admin->priority_filter(filter);
    else admin->lifetime_filter(filter);
  } else if (priority) proxy->priority_filter(filter);
  else proxy->lifetime_filter(filter);
}

static void callbacks(const Texts& a) {
  using namespace CosNotifyFilter;
  Filter_var filter = the<Filter>(a.at(1));
  if (a.at(0) == "attach_callback")
    living_client<clients::StructuredPushSupplier>(
        a.at(2), [&](CosNotifyComm::StructuredPushSupplier_ptr client) {
          say("id " + values::number(filter->attach_callback(client)));
        });
  else if (a.at(0) == "detach_callback") filter->detach_callback(std::stol(a.at(2)));
  else say(ids_text(CallbackIDSeq_var(filter->get_callbacks()).in()));
}

// ---------------------------------------------------------------- offers and subscriptions

static void change(const Texts& a) {
  if (a.at(0) == "offer_change")
    the<CosNotifyComm::NotifyPublish>(a.at(1))->offer_change(values::types(a.at(2)),
                                                             values::types(a.at(3)));
  else
    the<CosNotifyComm::NotifySubscribe>(a.at(1))->subscription_change(values::types(a.at(2)),
                                                                      values::types(a.at(3)));
}

static void obtain_types(const Texts& a) {
  ObtainInfoMode mode = static_cast<ObtainInfoMode>(std::stoi(a.at(2)));
  ProxySupplier_var supplier = ProxySupplier::_narrow(values::objects().at(a.at(1)));
  CosNotification::EventTypeSeq_var found =
      CORBA::is_nil(supplier) ? the<ProxyConsumer>(a.at(1))->obtain_subscription_types(mode)
                              : supplier->obtain_offered_types(mode);
  say(values::types_text(found));
}

// ---------------------------------------------------------------- all commands

typedef std::function<void(const Texts&)> Command;

static std::map<std::string, Command> commands() {
  std::map<std::string, Command> all;
  all["url"] = [](const Texts& a) {
    keep(a.at(1), CORBA::Object_var(orb->string_to_object(a.at(2).c_str())));
  };
  all["ior"] = [](const Texts& a) {
    say(std::string(CORBA::String_var(orb->object_to_string(values::objects().at(a.at(1))))));
  };
  all["kind"] = [](const Texts& a) { kinds[a.at(1)] = a.at(2); };
  all["is_a"] = [](const Texts& a) {
    say(values::objects().at(a.at(1))->_is_a(a.at(2).c_str()) ? "true" : "false");
  };
  all["non_existent"] = [](const Texts& a) {
    say(values::objects().at(a.at(1))->_non_existent() ? "true" : "false");
  };
  all["mode"] = [](const Texts& a) { living.at(a.at(1))->mode(a.at(2)); };
  all["give"] = [](const Texts& a) {
    for (size_t k = 2; k < a.size(); ++k) living.at(a.at(1))->give(a[k]);
  };
  all["end"] = [](const Texts& a) {
    PortableServer::ObjectId_var id = PortableServer::string_to_ObjectId(a.at(1).c_str());
    poa->deactivate_object(id);
  };
  all["create_filter"] = [](const Texts& a) {
    keep(a.at(1), CosNotifyFilter::Filter_var(
                      the<CosNotifyFilter::FilterFactory>(a.at(2))->create_filter(a.at(3).c_str())));
  };
  all["grammar"] = [](const Texts& a) {
    say(std::string(CORBA::String_var(the<CosNotifyFilter::Filter>(a.at(1))->constraint_grammar())));
  };
  all["create_mapping"] = [](const Texts& a) {
    keep(a.at(1), CosNotifyFilter::MappingFilter_var(
                      the<CosNotifyFilter::FilterFactory>(a.at(2))
                          ->create_mapping_filter(a.at(3).c_str(), values::value(a.at(4)))));
  };
  all["issue"] = [](const Texts& a) {
    CORBA::ULong credential = 0;
    auto agent = the<NotificationServiceAgent::Agent>(a.at(2));
    keep(a.at(1), CORBA::Object_var(agent->issueReference(values::objects().at(a.at(3)),
                                                          a.at(4).c_str(), "", 0, credential)));
  };
  all["create_channel"] = create_channel;
  all["new_admin"] = new_admin;
  all["obtain"] = obtain;
  all["plain"] = plain;
  all["get"] = get;
  all["find"] = find;
  all["show"] = show;
  all["destroy"] = destroy;
  all["connect"] = connect;
  all["disconnect"] = disconnect;
  all["push"] = push;
  all["set_mapping"] = set_mapping;
  all["obtain_types"] = obtain_types;
  for (auto name : {"suspend", "resume"}) all[name] = pause;
  for (auto name : {"pull", "try_pull"}) all[name] = pull;
  for (auto name : {"offer_change", "subscription_change"}) all[name] = change;
  for (auto name : {"attach_callback", "detach_callback", "callbacks"}) all[name] = callbacks;
  for (auto name : {"add_filter", "remove_filter", "all_filters", "remove_all_filters"})
    all[name] = filters;
  for (auto name : {"get_qos", "set_qos", "validate_qos", "validate_event_qos", "get_admin",
                    "set_admin"})
    all[name] = qos;
  for (auto name : {"add_constraints", "modify_constraints", "get_constraints", "all_constraints",
                    "remove_all_constraints", "match", "match_structured", "match_typed"})
    all[name] = constraints;
  for (auto name : {"add_mapped", "modify_mapped", "get_mapped", "all_mapped", "remove_all_mapped",
                    "match_mapped", "mapping"})
    all[name] = mapped;
  return all;
}

static void obey(const std::map<std::string, Command>& known, const std::string& line) {
  Texts words;
  std::istringstream text(line);
  for (std::string word; std::getline(text, word, '\t');) words.push_back(word);
  if (line.size() && line.back() == '\t') words.push_back("");
  try {
    known.at(words.at(0))(words);
  } catch (const CORBA::Exception& e) {
    say(raised::text(e));
  } catch (const std::exception& e) {
    say(std::string("? ") + e.what());
  }
  say(".");
}

int main(int argc, char** argv) {
  try {
    orb = CORBA::ORB_init(argc, argv);
    CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
    PortableServer::POA_var outer = PortableServer::POA::_narrow(root);
    CORBA::Any both;
    both <<= BiDirPolicy::BOTH;
    CORBA::PolicyList policies;
    policies.length(3);
    policies[0] = orb->create_policy(BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE, both);
    policies[1] = outer->create_id_assignment_policy(PortableServer::USER_ID);
    policies[2] = outer->create_lifespan_policy(PortableServer::PERSISTENT);
    PortableServer::POAManager_var manager = outer->the_POAManager();
    poa = outer->create_POA("clients", manager, policies);
    manager->activate();
    const std::map<std::string, Command> known = commands();
    for (std::string line; std::getline(std::cin, line);) obey(known, line);
    orb->destroy();
  } catch (const CORBA::SystemException& e) {
    std::cerr << raised::system_text(e) << std::endl;
    return 1;
  }
  return 0;
}
