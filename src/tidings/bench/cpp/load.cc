// The load of `tidings bench iiop`: suppliers and consumers of event channels, told what to do.
//
// Usage: load [-ORB options]. Every line of standard input is a command, and every one is answered
// with one line: `ok` and figures, or `error` and the reason. Times are nanoseconds of a clock that
// all processes of the machine share.
//
//   channel FACTORY                    makes a channel of the Notification Service: its reference
//   consume CHANNEL FORM COUNT TIMES   connects consumers (any, structured, sequence): their group
//   filtered CHANNEL FIRST COUNT       structured ones, each with `$area == K and $rate > 30`
//   apart CHANNEL FIRST COUNT PORT     consumers of anys, each at an address of its own
//   supply CHANNEL FORM                connects a supplier: its number
//   begin GROUP EVENTS FIRST           what each consumer of a group has to expect
//   push SUPPLIER EVENTS FIRST BATCH   pushes: when it began, and when it ended
//   pace SUPPLIER EVENTS FIRST PAUSE   pushes single events with pauses: when each was pushed
//   await GROUP SECONDS                what has come: how many, how many wrong, when the last
//   times GROUP                        when each event came
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "consumers.h"
#include "suppliers.h"

namespace notify = CosNotifyChannelAdmin;

// A consumer of batches says how many events it takes at a time.
static const CORBA::Long LARGEST_BATCH = 100;

struct Crowd {
  std::unique_ptr<Group> group;
  std::vector<Counting*> consumers;
};

class Load {
 public:
  explicit Load(CORBA::ORB_ptr orb) : orb_(CORBA::ORB::_duplicate(orb)) {
    CORBA::Object_var root = orb_->resolve_initial_references("RootPOA");
    poa_ = PortableServer::POA::_narrow(root);
    CORBA::Object_var named = orb_->resolve_initial_references("omniINSPOA");
    named_poa_ = PortableServer::POA::_narrow(named);
    for (PortableServer::POA_ptr poa : {poa_.in(), named_poa_.in()}) {
      PortableServer::POAManager_var manager = poa->the_POAManager();
      manager->activate();
    }
  }

  // Carries one command out.
  void obey(const std::string& command, std::istream& in, std::ostream& out) {
    if (command == "channel") {
      channel(in, out);
    } else if (command == "consume") {
      consume(in, out);
    } else if (command == "filtered") {
      filtered(in, out);
    } else if (command == "apart") {
      apart(in, out);
    } else if (command == "supply") {
      supply(in, out);
    } else if (command == "begin") {
      begin(in);
    } else if (command == "push") {
      push(in, out);
    } else if (command == "pace") {
      pace(in, out);
    } else if (command == "await") {
      await(in, out);
    } else if (command == "times") {
      for (Nanoseconds at : crowds_.at(read<int>(in)).group->came()) out << " " << at;
    } else {
      throw std::runtime_error("unknown command " + command);
    }
  }

 private:
  template <typename Value>
  static Value read(std::istream& in) {
    Value value;
    if (!(in >> value)) throw std::runtime_error("something is missing in the command");
    return value;
  }

  CORBA::Object_ptr found(std::istream& in) {
    return orb_->string_to_object(read<std::string>(in).c_str());
  }

  // The channel that comes next in a command.
  CosEventChannelAdmin::EventChannel_ptr plain_channel(std::istream& in) {
    CORBA::Object_var object = found(in);
    return checked(CosEventChannelAdmin::EventChannel::_narrow(object));
  }

  notify::EventChannel_ptr notification_channel(CosEventChannelAdmin::EventChannel_ptr channel) {
    return checked(notify::EventChannel::_narrow(channel));
  }

  template <typename Reference>
  static Reference* checked(Reference* reference) {
    if (CORBA::is_nil(reference)) throw std::runtime_error("it is an object of another kind");
    return reference;
  }

  template <typename Consumer>
  CORBA::Object_ptr activated(Crowd& crowd) {
    Consumer* made = new Consumer(*crowd.group);
    PortableServer::ObjectId_var id = poa_->activate_object(made);
    crowd.consumers.push_back(made);
    return poa_->id_to_reference(id);
  }

  void keep(Crowd& crowd, std::ostream& out) {
    crowds_.push_back(std::move(crowd));
    out << " " << crowds_.size() - 1;
  }

  void channel(std::istream& in, std::ostream& out) {
    CORBA::Object_var object = found(in);
    notify::EventChannelFactory_var factory =
        checked(notify::EventChannelFactory::_narrow(object));
    notify::ChannelID id;
    notify::EventChannel_var made = factory->create_channel(
        CosNotification::QoSProperties(), CosNotification::AdminProperties(), id);
    CORBA::String_var reference = orb_->object_to_string(made);
    out << " " << reference;
  }

  void consume(std::istream& in, std::ostream& out) {
    CosEventChannelAdmin::EventChannel_var channel = plain_channel(in);
    std::string form = read<std::string>(in);
    int count = read<int>(in);
    Crowd crowd{std::make_unique<Group>(read<int>(in) != 0), {}};
    for (int at = 0; at < count; ++at) {
      if (form == "any") {
        CORBA::Object_var made = activated<AnyConsumer>(crowd);
        CosEventComm::PushConsumer_var consumer = CosEventComm::PushConsumer::_narrow(made);
        connect_any(channel, consumer);
      } else {
        connect_notified(channel, form, crowd, "");
      }
    }
    keep(crowd, out);
  }

  void connect_any(CosEventChannelAdmin::EventChannel_ptr channel,
                   CosEventComm::PushConsumer_ptr consumer) {
    CosEventChannelAdmin::ConsumerAdmin_var admin = channel->for_consumers();
    CosEventChannelAdmin::ProxyPushSupplier_var proxy = admin->obtain_push_supplier();
    proxy->connect_push_consumer(consumer);
  }

  void connect_notified(CosEventChannelAdmin::EventChannel_ptr channel, const std::string& form,
                        Crowd& crowd, const std::string& constraint) {
    if (CORBA::is_nil(admin_) || !admin_of_->_is_equivalent(channel)) {
      admin_of_ = notification_channel(channel);
      admin_ = admin_of_->default_consumer_admin();
      filters_ = admin_of_->default_filter_factory();
    }
    bool single = form == "structured";
    notify::ProxyID id;
    notify::ProxySupplier_var made = admin_->obtain_notification_push_supplier(
        single ? notify::STRUCTURED_EVENT : notify::SEQUENCE_EVENT, id);
    if (!constraint.empty()) made->add_filter(filter(constraint));
    if (single) {
      notify::StructuredProxyPushSupplier_var proxy =
          notify::StructuredProxyPushSupplier::_unchecked_narrow(made);
      CORBA::Object_var object = activated<StructuredConsumer>(crowd);
      CosNotifyComm::StructuredPushConsumer_var consumer =
          CosNotifyComm::StructuredPushConsumer::_narrow(object);
      proxy->connect_structured_push_consumer(consumer);
    } else {
      CosNotification::QoSProperties qos;
      qos.length(1);
      qos[0].name = "MaximumBatchSize";
      qos[0].value <<= LARGEST_BATCH;
      made->set_qos(qos);
      notify::SequenceProxyPushSupplier_var proxy =
          notify::SequenceProxyPushSupplier::_unchecked_narrow(made);
      CORBA::Object_var object = activated<SequenceConsumer>(crowd);
      CosNotifyComm::SequencePushConsumer_var consumer =
          CosNotifyComm::SequencePushConsumer::_narrow(object);
      proxy->connect_sequence_push_consumer(consumer);
    }
  }

  CosNotifyFilter::Filter_ptr filter(const std::string& constraint) {
    filter_ = filters_->create_filter("EXTENDED_TCL");
    CosNotifyFilter::ConstraintExpSeq constraints;
    constraints.length(1);
    constraints[0].constraint_expr = constraint.c_str();
    CosNotifyFilter::ConstraintInfoSeq_var added = filter_->add_constraints(constraints);
    return filter_;
  }

  void filtered(std::istream& in, std::ostream& out) {
    CosEventChannelAdmin::EventChannel_var channel = plain_channel(in);
    int first = read<int>(in), count = read<int>(in);
    Crowd crowd{std::make_unique<Group>(false), {}};
    for (int area = first; area < first + count; ++area) {
      std::string constraint = "$area == " + std::to_string(area) + " and $rate > 30";
      connect_notified(channel, "structured", crowd, constraint);
    }
    keep(crowd, out);
  }

  // The whole of 127.0.0.0/8 is this machine, so that one process has very many addresses.
  void apart(std::istream& in, std::ostream& out) {
    CosEventChannelAdmin::EventChannel_var channel = plain_channel(in);
    int first = read<int>(in), count = read<int>(in), port = read<int>(in);
    Crowd crowd{std::make_unique<Group>(false), {}};
    for (int at = first; at < first + count; ++at) {
      std::string name = "consumer" + std::to_string(at);
      AnyConsumer* made = new AnyConsumer(*crowd.group);
      PortableServer::ObjectId_var id = PortableServer::string_to_ObjectId(name.c_str());
      named_poa_->activate_object_with_id(id, made);
      crowd.consumers.push_back(made);
      std::ostringstream url;
      url << "corbaloc::127.0." << at / 250 + 1 << "." << at % 250 + 1 << ":" << port << "/" << name;
      CORBA::Object_var object = orb_->string_to_object(url.str().c_str());
      CosEventComm::PushConsumer_var consumer =
          CosEventComm::PushConsumer::_unchecked_narrow(object);
      connect_any(channel, consumer);
    }
    keep(crowd, out);
  }

  void supply(std::istream& in, std::ostream& out) {
    CosEventChannelAdmin::EventChannel_var channel = plain_channel(in);
    std::string form = read<std::string>(in);
    if (form == "any") {
      suppliers_.push_back(std::make_unique<AnySupplier>(channel));
    } else {
      notify::EventChannel_var full = notification_channel(channel);
      if (form == "structured")
        suppliers_.push_back(std::make_unique<StructuredSupplier>(full));
      else
        suppliers_.push_back(std::make_unique<SequenceSupplier>(full));
    }
    out << " " << suppliers_.size() - 1;
  }

  void begin(std::istream& in) {
    Crowd& crowd = crowds_.at(read<int>(in));
    long events = read<long>(in);
    long long first = read<long long>(in);
    for (Counting* consumer : crowd.consumers) consumer->expect(first);
    crowd.group->begin(events * static_cast<long>(crowd.consumers.size()));
  }

  void push(std::istream& in, std::ostream& out) {
    Supplier& supplier = *suppliers_.at(read<int>(in));
    long events = read<long>(in);
    long long first = read<long long>(in);
    long batch = read<long>(in);
    Nanoseconds start = now();
    for (long at = 0; at < events; at += batch)
      supplier.push(first + at, std::min(batch, events - at));
    out << " " << start << " " << now();
  }

  void pace(std::istream& in, std::ostream& out) {
    Supplier& supplier = *suppliers_.at(read<int>(in));
    long events = read<long>(in);
    long long first = read<long long>(in);
    std::chrono::duration<double> pause(read<double>(in));
    for (long at = 0; at < events; ++at) {
      std::this_thread::sleep_for(pause);
      out << " " << now();
      supplier.push(first + at, 1);
    }
  }

  void await(std::istream& in, std::ostream& out) {
    Group& group = *crowds_.at(read<int>(in)).group;
    group.wait(read<double>(in));
    out << " " << group.received() << " " << group.wrong() << " " << group.last();
  }

  CORBA::ORB_var orb_;
  PortableServer::POA_var poa_, named_poa_;
  notify::EventChannel_var admin_of_;
  notify::ConsumerAdmin_var admin_;
  CosNotifyFilter::FilterFactory_var filters_;
  CosNotifyFilter::Filter_var filter_;
  std::vector<Crowd> crowds_;
  std::vector<std::unique_ptr<Supplier>> suppliers_;
};

static std::string answer(Load& load, const std::string& line) {
  std::istringstream in(line);
  std::ostringstream out;
  std::string command;
  in >> command;
  try {
    load.obey(command, in, out);
    return "ok" + out.str();
  } catch (const CORBA::SystemException& error) {
    std::ostringstream why;
    const char* minor = error.NP_minorString();
    why << "error " << error._name() << " " << (minor ? minor : std::to_string(error.minor()).c_str());
    return why.str();
  } catch (const CORBA::UserException& error) {
    return std::string("error ") + error._name();
  } catch (const std::exception& error) {
    return std::string("error ") + error.what();
  }
}

int main(int argc, char** argv) {
  try {
    CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
    Load load(orb);
    std::string line;
    while (std::getline(std::cin, line)) std::cout << answer(load, line) << std::endl;
    std::_Exit(0);  // nobody need be told, and nothing need be taken apart
  } catch (const CORBA::Exception& error) {
    std::cerr << error._name() << std::endl;
    return 1;
  }
}
