"""The text of an interface has what it needs, however the file was written, and nothing else."""

from __future__ import annotations

from tests.laws.idl_texts import compile_text
from tidings.idl.canonical import canonical, interface_of

SOURCE = """
#pragma prefix "example.org"
module Other { interface Thing; };
module Bank {
  const short half = 4 / 2;
  enum Currency {euro, dollar};
  struct Unused { long a; };
  struct Twin { long Currency; };
  struct Sum { Currency unit; struct Part { sequence<Sum> inner; } parts[half]; Part rest; };
  interface Later;
  interface Account {
    fixed<5, 2> turn(inout sequence<long> q);
    const long most = -(3 * 4);
    const wchar letter = L'\\u20ac';
    const Currency home = dollar;
    struct Q; typedef sequence<Q> Qs; struct Q { Qs q; };
    union Choice switch (enum Kind {one, two, three})
      { case one: case two: Sum sum; default: any rest; };
    typedef string<half + 2> Names[half][3];
    exception Full { Names currency_; };
    attribute Later next, last;
    readonly attribute TypeCode type;
    Choice choose(in Currency bank, in Twin twin) raises (Full);
    oneway void tell(in Object it);
  };
  interface Later : Account { ::Other::Thing back(); };
};
#pragma version Bank::Later 2.3
#pragma ID Bank::Account::Full "IDL:full:1.0"
"""
TEXT = """\
#pragma prefix "example.org"
module Bank {
  enum Currency {euro, dollar};
  struct Twin {
    long Currency;
  };
  struct Sum {
    ::Bank::Currency unit;
    struct Part {
      sequence<Sum> inner;
    } parts[2];
    Part rest;
  };
  interface Later;
  interface Account {
    const long most = -12;
    const wchar letter = L'€';
    const ::Bank::Currency _home = dollar;
    struct Q;
    typedef sequence<Q> Qs;
    struct Q {
      Qs q;
    };
    union Choice switch (enum Kind {one, two, three}) {
      case one: case two: Sum sum;
      default: any rest;
    };
    typedef string<4> Names[2][3];
    exception Full {
      Names currency_;
    };
    attribute Later last;
    attribute Later next;
    readonly attribute CORBA::TypeCode type;
    Choice choose(in ::Bank::Currency bank, in Twin twin) raises (Full);
    oneway void tell(in Object it);
    fixed<5, 2> turn(inout sequence<long> q);
  };
};
#pragma ID ::Bank::Account::Full "IDL:full:1.0"
module Other {
  interface Thing;
};
module Bank {
  interface Later : Account {
    ::Other::Thing back();
  };
};
#pragma version ::Bank::Later 2.3
"""


def text_of(source: str) -> str:
    """The text of the account."""
    model = compile_text(source)
    found = interface_of(model, "IDL:example.org/Bank/Account:1.0")
    assert found is not None
    return canonical(model, found)


def test_the_text_has_what_the_interface_needs_and_says_it_in_one_way() -> None:
    assert text_of(SOURCE) == TEXT
    assert text_of(TEXT) == TEXT
