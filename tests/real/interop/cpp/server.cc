// A server that says on standard output what every call brought.
//
// Usage: server [-ORB options]. The first line is the object's reference.
#include <unistd.h>

#include "shown.h"

static CORBA::ORB_var orb;

static void say(const std::string& line) {
  static omni_mutex lock;
  omni_mutex_lock held(lock);
  std::cout << line << std::endl;
}

class Impl : public POA_T::I {
  CORBA::Long att_;
  CORBA::Long last_;

 public:
  Impl() : att_(7), last_(0) {}
  char* name() { return CORBA::string_dup("cpp"); }
  CORBA::Long att() { return att_; }
  void att(CORBA::Long value) {
    att_ = value;
    std::ostringstream out;
    out << "att " << value;
    say(out.str());
  }
  CORBA::Any* echo(const CORBA::Any& a) {
    say("echo " + shown::any(a));
    return new CORBA::Any(a);
  }
  T::S* turn(const T::S& s, T::U& u, T::Node_out n) {
    say("turn " + shown::record(s) + " " + shown::choice(u));
    T::S* back = new T::S(s);
    back->a = -s.a;
    back->uu = u;
    u = s.uu;
    n = new T::Node();
    n->v = 1;
    n->kids.length(1);
    n->kids[0].v = 2;
    return back;
  }
  CORBA::WChar* ws(const CORBA::WChar* w, CORBA::WChar c, CORBA::Char ch) {
    CORBA::WChar one[2] = {c, 0};
    say("ws " + shown::wide(w) + " " + shown::wide(one) + " " +
        static_cast<char>(ch));
    return CORBA::wstring_dup(w);
  }
  char* text(const char* s) {
    say("text " + shown::bytes(s));
    return CORBA::string_dup(s);
  }
  void ow(CORBA::Long x) {
    last_ = x;
    std::ostringstream out;
    out << "ow " << x;
    say(out.str());
  }
  CORBA::Long last() { return last_; }
  T::Octets* big(const T::Octets& s) {
    say("big " + shown::octets(s));
    return new T::Octets(s);
  }
  void fail() { throw T::Oops("bad", 42); }
  void broken() { throw CORBA::NO_RESOURCES(5, CORBA::COMPLETED_YES); }
  CORBA::Object_ptr obj(CORBA::Object_ptr o) {
    say(std::string("obj ") + (CORBA::is_nil(o) ? "nil" : "live"));
    return CORBA::Object::_duplicate(o);
  }
  CORBA::Double prim(CORBA::Octet o, CORBA::Boolean b, CORBA::Short s, CORBA::Long l,
                     CORBA::LongLong ll, CORBA::ULongLong ull, CORBA::Float f, CORBA::Double d,
                     const T::Money& m, T::Money& twice) {
    std::ostringstream out;
    CORBA::String_var money = CORBA::Fixed(m).NP_asString();
    out << "prim " << static_cast<int>(o) << " " << (b ? "true" : "false") << " " << s << " " << l
        << " " << ll << " " << ull << " " << f << " " << d << " " << money;
    say(out.str());
    twice = m + m;
    return d + f;
  }
  void nap(CORBA::ULong milliseconds) { usleep(milliseconds * 1000); }
  CORBA::Long call_back(T::I_ptr other, CORBA::Long x) {
    other->ow(x);
    other->att(x + 1);
    return other->att();
  }
};

int main(int argc, char** argv) {
  try {
    orb = CORBA::ORB_init(argc, argv);
    CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
    PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
    CORBA::PolicyList policies;
    policies.length(1);
    CORBA::Any both;
    both <<= BiDirPolicy::BOTH;
    policies[0] = orb->create_policy(BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE, both);
    PortableServer::POAManager_var manager = poa->the_POAManager();
    PortableServer::POA_var own = poa->create_POA("own", manager, policies);
    PortableServer::Servant_var<Impl> impl = new Impl();
    PortableServer::ObjectId_var id = own->activate_object(impl);
    T::I_var object = impl->_this();
    CORBA::String_var ior = orb->object_to_string(object);
    say(std::string(ior));
    manager->activate();
    // Ends when standard input does: with the test that started it.
    char octet;
    while (read(0, &octet, 1) > 0) {
    }
    orb->destroy();
  } catch (const CORBA::SystemException& e) {
    std::cerr << shown::system(e) << std::endl;
    return 1;
  }
  return 0;
}
