// A subscriber and service evolver that does what it is told and says what came of it.
//
// Usage: notices [-ORB options]. Commands come on standard input, a line each, their words parted
// by tabs; objects go by names. The answer to each is lines, the last of them a dot. Lines that
// begin with `*` are calls to the subscribers that live here, lines with `!` are exceptions.
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "notices.hh"

typedef std::vector<std::string> Texts;

static CORBA::ORB_var orb;
static PortableServer::POA_var poa;
static std::map<std::string, CORBA::Object_var> objects;

static void say(const std::string& line) {
  static omni_mutex lock;
  omni_mutex_lock held(lock);
  std::cout << line << std::endl;
}

template <typename Interface>
static typename Interface::_var_type the(const std::string& name) {
  typename Interface::_var_type found = Interface::_narrow(objects.at(name));
  if (CORBA::is_nil(found)) throw std::runtime_error(name + " is something else");
  return found;
}

static std::string value_text(const CORBA::Any& value) {
  std::ostringstream out;
  const char* text;
  CORBA::Double real;
  CORBA::Float single;
  CORBA::Long whole;
  CORBA::Short little;
  if (value >>= text) out << text;
  else if (value >>= real) out << real;
  else if (value >>= single) out << single;
  else if (value >>= whole) out << whole;
  else if (value >>= little) out << little;
  else out << "?";
  return out.str();
}

static std::string properties_text(const CosTrading::PropertySeq& all) {
  std::string text;
  for (CORBA::ULong k = 0; k < all.length(); ++k)
    text += std::string(k ? "," : "") + static_cast<const char*>(all[k].name) + "=" +
            value_text(all[k].value);
  return text;
}

// `EV1 0 1 10 Bank(Name=X) Bank_2(Name=X) -deleted +modified`: kind and time by their numbers.
static std::string message_text(const scnmesg::StructuredEventMessage& message) {
  std::ostringstream out;
  out << message.header.message_id << " " << message.header.message_type << " "
      << message.header.time_indicator << " " << message.header.priority;
  const scnmesg::MessageBody& body = message.body;
  for (CORBA::ULong k = 0; k < body.descriptions.length(); ++k)
    out << " " << body.descriptions[k].type.name << "("
        << properties_text(body.descriptions[k].properties) << ")";
  out << " -" << properties_text(body.deleted) << " +" << properties_text(body.modified);
  return out.str();
}

// ---------------------------------------------------------------- subscribers

class Structured : public POA_scncomm::StructuredPushSubscriber {
 public:
  explicit Structured(const std::string& name) : name_(name) {}
  char* subscriberID() { return CORBA::string_dup(name_.c_str()); }
  void disconnect() { say("* " + name_ + " disconnect"); }
  void push_structured_event(const scnmesg::StructuredEventMessage& message) {
    say("* " + name_ + " " + message_text(message));
  }

 private:
  std::string name_;
};

static void connect(const Texts& a) {
  if (a.at(2) == "nil") {
    the<scncomm::XMLProxyPullSubscriber>(a.at(1))->connect(scncomm::XMLPullSubscriber::_nil());
    return;
  }
  Structured* servant = new Structured(a.at(2));
  PortableServer::ObjectId_var id = PortableServer::string_to_ObjectId(a.at(2).c_str());
  poa->activate_object_with_id(id, servant);
  scncomm::StructuredPushSubscriber_var reference = servant->_this();
  the<scncomm::StructuredProxyPushSubscriber>(a.at(1))->connect(reference);
}

static void pull(const Texts& a) {
  CORBA::Boolean has = false;
  CORBA::String_var document = the<scncomm::XMLProxyPullSubscriber>(a.at(1))->pull_xml_event(has);
  std::istringstream lines{std::string(document)};
  if (!has) say("none");
  for (std::string line; std::getline(lines, line);) say("  " + line);
}

// ---------------------------------------------------------------- commands

typedef std::function<void(const Texts&)> Command;

static std::map<std::string, Command> commands() {
  std::map<std::string, Command> all;
  all["url"] = [](const Texts& a) { objects[a.at(1)] = orb->string_to_object(a.at(2).c_str()); };
  all["managers"] = [](const Texts& a) {
    auto found = the<scnmanager::SCNComponent>(a.at(1));
    objects["publishers"] = found->publisherManager_if();
    objects["subscribers"] = found->subscriberManager_if();
  };
  all["register"] = [](const Texts& a) {
    auto manager = the<scnmanager::SubscriberManager>("subscribers");
    scncomm::AdminSubscriber_var made = manager->registerSubscriber(a.at(2).c_str(),
                                                                   a.at(3).c_str());
    objects[a.at(1)] = scncomm::AdminSubscriber::_duplicate(made);
    say(std::string(CORBA::String_var(made->adminID())));
  };
  all["admin"] = [](const Texts& a) {
    auto manager = the<scnmanager::SubscriberManager>("subscribers");
    objects[a.at(1)] = manager->getAdminSubscriber(a.at(2).c_str(), a.at(3).c_str());
  };
  all["find"] = [](const Texts& a) {
    objects[a.at(1)] = the<scncomm::AdminSubscriber>(a.at(2))->getProxySubscriber(a.at(3).c_str());
  };
  all["create"] = [](const Texts& a) {
    CORBA::String_var id;
    scncomm::ProxyType type = static_cast<scncomm::ProxyType>(std::stol(a.at(3)));
    objects[a.at(1)] =
        the<scncomm::AdminSubscriber>(a.at(2))->createProxySubscriber(type, id.out());
    say(std::string(id));
  };
  all["filter"] = [](const Texts& a) {
    scncomm::FilterContent content;
    content.type = scncomm::CHANGE_AND_INSTATIATION_SERVICE_EVENT;
    content.traderConstraints.length(1);
    content.traderConstraints[0].type = a.at(2).c_str();
    content.traderConstraints[0].constr = a.at(3).c_str();
    CORBA::String_var id;
    the<scncomm::FilterAdmin>(a.at(1))->addFilter(content, id.out());
    say(std::string(id));
  };
  all["connect"] = connect;
  all["pull"] = pull;
  all["disconnect"] = [](const Texts& a) {
    the<scncomm::ProxySubscriber>(a.at(1))->disconnect();
  };
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
    say(std::string("! ") + e._name());
  } catch (const std::exception& e) {
    say(std::string("? ") + e.what());
  }
  say(".");
}

int main(int argc, char** argv) {
  orb = CORBA::ORB_init(argc, argv);
  CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var outer = PortableServer::POA::_narrow(root);
  CORBA::PolicyList policies;
  policies.length(2);
  policies[0] = outer->create_id_assignment_policy(PortableServer::USER_ID);
  policies[1] = outer->create_lifespan_policy(PortableServer::PERSISTENT);
  PortableServer::POAManager_var manager = outer->the_POAManager();
  poa = outer->create_POA("subscribers", manager, policies);
  manager->activate();
  const std::map<std::string, Command> known = commands();
  for (std::string line; std::getline(std::cin, line);) obey(known, line);
  orb->destroy();
  return 0;
}
