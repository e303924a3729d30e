// A client that calls everything once and says on standard output what came back.
//
// Usage: client [-ORB options] REFERENCE [callback]
#include "shown.h"

class Listener : public POA_T::I {
  CORBA::Long att_;

 public:
  Listener() : att_(0) {}
  char* name() { return CORBA::string_dup("listener"); }
  CORBA::Long att() { return att_; }
  void att(CORBA::Long value) { att_ = value; }
  CORBA::Any* echo(const CORBA::Any& a) { return new CORBA::Any(a); }
  T::S* turn(const T::S&, T::U&, T::Node_out) { throw CORBA::NO_IMPLEMENT(); }
  CORBA::WChar* ws(const CORBA::WChar*, CORBA::WChar, CORBA::Char) { throw CORBA::NO_IMPLEMENT(); }
  char* text(const char* s) { return CORBA::string_dup(s); }
  void ow(CORBA::Long x) { std::cout << "heard " << x << std::endl; }
  CORBA::Long last() { return 0; }
  T::Octets* big(const T::Octets& s) { return new T::Octets(s); }
  void fail() { throw T::Oops("listener", 1); }
  void broken() { throw CORBA::NO_IMPLEMENT(); }
  CORBA::Object_ptr obj(CORBA::Object_ptr o) { return CORBA::Object::_duplicate(o); }
  CORBA::Double prim(CORBA::Octet, CORBA::Boolean, CORBA::Short, CORBA::Long, CORBA::LongLong,
                     CORBA::ULongLong, CORBA::Float, CORBA::Double, const T::Money&, T::Money&) {
    throw CORBA::NO_IMPLEMENT();
  }
  void nap(CORBA::ULong) {}
  CORBA::Long call_back(T::I_ptr, CORBA::Long) { throw CORBA::NO_IMPLEMENT(); }
};

template <typename Call>
static void attempt(const char* what, Call call) {
  std::cout << what << " ";
  try {
    call();
  } catch (const T::Oops& e) {
    std::cout << "Oops " << e.why << " " << e.code;
  } catch (const CORBA::SystemException& e) {
    std::cout << shown::system(e);
  }
  std::cout << std::endl;
}

static void anys(T::I_ptr i) {
  CORBA::Any sent[10];
  T::S s;
  s.a = 1;
  s.b = 2.5;
  s.uu.s("hi");
  sent[0] <<= s;
  sent[1] <<= T::green;
  sent[2] <<= "abc";
  sent[3] <<= static_cast<CORBA::Short>(5);
  T::Node n;
  n.v = 1;
  n.kids.length(2);
  n.kids[0].v = 2;
  n.kids[1].v = 3;
  n.kids[1].kids.length(1);
  n.kids[1].kids[0].v = 4;
  sent[4] <<= n;
  sent[5] <<= i;
  T::U u;
  u.d(0.25);
  u._d(T::blue);
  sent[7] <<= u;
  sent[8] <<= sent[0];
  sent[9] <<= static_cast<CORBA::LongLong>(-5000000000LL);
  for (int k = 0; k < 10; ++k)
    attempt("echo", [&] {
      CORBA::Any_var back = i->echo(sent[k]);
      std::cout << shown::any(back);
    });
}

static void calls(T::I_ptr i) {
  attempt("name", [&] { CORBA::String_var v = i->name(); std::cout << v; });
  attempt("att", [&] { std::cout << i->att(); });
  attempt("att", [&] { i->att(5); std::cout << i->att(); });
  attempt("prim", [&] {
    T::Money twice;
    std::cout << i->prim(1, true, -2, 3, -4, 18000000000000000000ULL, 1.5, 2.5,
                         CORBA::Fixed("123.45"), twice);
    CORBA::String_var money = CORBA::Fixed(twice).NP_asString();
    std::cout << " " << money;
  });
  anys(i);
  attempt("turn", [&] {
    T::S s;
    s.a = 3;
    s.b = -0.5;
    s.uu.l(77);
    T::U u;
    u.s("other");
    T::Node_var n;
    T::S_var back = i->turn(s, u, n.out());
    std::cout << shown::record(back) << " " << shown::choice(u) << " " << shown::node(n);
  });
  attempt("ws", [&] {
    const CORBA::WChar wide[] = {0x68, 0xe9, 0x4e2d, 0};
    CORBA::WString_var back = i->ws(wide, 'x', 'c');
    std::cout << shown::wide(back);
  });
  attempt("text", [&] { CORBA::String_var v = i->text("h\xe9!"); std::cout << shown::bytes(v); });
  attempt("ow", [&] { i->ow(9); i->ow(10); std::cout << i->last(); });
  CORBA::ULong sizes[] = {0, 1, 20000, 300001};
  for (CORBA::ULong size : sizes)
    attempt("big", [&] {
      T::Octets o;
      o.length(size);
      for (CORBA::ULong k = 0; k < size; ++k) o[k] = static_cast<CORBA::Octet>(k * 7);
      T::Octets_var back = i->big(o);
      std::cout << shown::octets(back);
    });
  attempt("fail", [&] { i->fail(); });
  attempt("broken", [&] { i->broken(); });
  attempt("obj", [&] {
    CORBA::Object_var back = i->obj(i);
    std::cout << (i->_is_equivalent(back) ? "same" : "different");
  });
  attempt("obj", [&] {
    CORBA::Object_var back = i->obj(CORBA::Object::_nil());
    std::cout << (CORBA::is_nil(back) ? "nil" : "live");
  });
  attempt("is_a", [&] {
    std::cout << i->_is_a("IDL:T/Base:1.0") << i->_is_a("IDL:omg.org/CORBA/Object:1.0")
              << i->_is_a("IDL:T/Other:1.0");
  });
  attempt("non_existent", [&] { std::cout << i->_non_existent(); });
}

static void call_back(CORBA::ORB_ptr orb, T::I_ptr i) {
  CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
  CORBA::PolicyList policies;
  policies.length(1);
  CORBA::Any both;
  both <<= BiDirPolicy::BOTH;
  policies[0] = orb->create_policy(BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE, both);
  PortableServer::POAManager_var manager = poa->the_POAManager();
  PortableServer::POA_var own = poa->create_POA("own", manager, policies);
  PortableServer::Servant_var<Listener> impl = new Listener();
  PortableServer::ObjectId_var id = own->activate_object(impl);
  T::I_var self = impl->_this();
  manager->activate();
  attempt("call_back", [&] { std::cout << i->call_back(self, 20); });
}

int main(int argc, char** argv) {
  try {
    CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
    CORBA::Object_var object = orb->string_to_object(argv[1]);
    T::I_var i = T::I::_narrow(object);
    if (CORBA::is_nil(i)) {
      std::cerr << "no T::I" << std::endl;
      return 1;
    }
    if (argc > 2)
      call_back(orb, i);
    else
      calls(i);
    orb->destroy();
  } catch (const CORBA::SystemException& e) {
    std::cerr << shown::system(e) << std::endl;
    return 1;
  }
  return 0;
}
