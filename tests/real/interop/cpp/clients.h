// Clients of every kind that say on standard output what they are called with: lines of `*`, the
// client's name, and the call.
#ifndef CLIENTS_H
#define CLIENTS_H

#include <deque>

#include "values.h"

namespace clients {

using values::Texts;

inline void say(const std::string& line) {
  static omni_mutex lock;
  omni_mutex_lock held(lock);
  std::cout << line << std::endl;
}

// What all clients have: a name, a way to behave, and events to supply.
class Client {
 public:
  explicit Client(const std::string& name) : name_(name), mode_("good") {}
  virtual ~Client() {}

  void mode(const std::string& mode) {
    omni_mutex_lock held(lock_);
    mode_ = mode;
  }
  void give(const std::string& item) {
    omni_mutex_lock held(lock_);
    waiting_.push_back(item);
  }

 protected:
  void heard(const std::string& call, const std::string& what = "") {
    say("* " + name_ + " " + call + (what.empty() ? "" : " " + what));
  }
  // Says what came, and takes it or not as this client is told to behave.
  void took(const std::string& call, const std::string& what) {
    std::string mode;
    {
      omni_mutex_lock held(lock_);
      mode = mode_;
    }
    if (mode == "failing") throw CORBA::TRANSIENT(0, CORBA::COMPLETED_NO);
    heard(call, what);
    if (mode == "gone") throw CosEventComm::Disconnected();
  }
  bool take(std::string& item) {
    omni_mutex_lock held(lock_);
    if (waiting_.empty()) return false;
    item = waiting_.front();
    waiting_.pop_front();
    return true;
  }
  void changed(const std::string& call, const CosNotification::EventTypeSeq& added,
               const CosNotification::EventTypeSeq& removed) {
    heard(call, "+" + values::types_text(added) + " -" + values::types_text(removed));
  }
  CORBA::Any* taken_any(bool& has) {
    std::string item;
    has = take(item);
    return has ? new CORBA::Any(values::value(item)) : new CORBA::Any();
  }
  CosNotification::StructuredEvent* taken_event(bool& has) {
    std::string item;
    has = take(item);
    return new CosNotification::StructuredEvent(values::event(has ? item : "|||||null:"));
  }
  CosNotification::EventBatch* taken_batch(CORBA::Long most, bool& has) {
    Texts items;
    std::string item;
    while (most-- > 0 && take(item)) items.push_back(item);
    has = !items.empty();
    return new CosNotification::EventBatch(values::batch(items.begin(), items.end()));
  }

 private:
  std::string name_;
  std::string mode_;
  std::deque<std::string> waiting_;
  omni_mutex lock_;
};

#define TOLD(operation)                                                     \
  void operation(const CosNotification::EventTypeSeq& added,                \
                 const CosNotification::EventTypeSeq& removed) {            \
    changed(#operation, added, removed);                                    \
  }
#define ENDED(operation) \
  void operation() { heard(#operation); }

// ---------------------------------------------------------------- consumers

class PushConsumer : public POA_CosNotifyComm::PushConsumer, public Client {
 public:
  using Client::Client;
  void push(const CORBA::Any& data) { took("push", values::value_text(data)); }
  ENDED(disconnect_push_consumer)
  TOLD(offer_change)
};

class StructuredPushConsumer : public POA_CosNotifyComm::StructuredPushConsumer, public Client {
 public:
  using Client::Client;
  void push_structured_event(const CosNotification::StructuredEvent& event) {
    took("push_structured_event", values::event_text(event));
  }
  ENDED(disconnect_structured_push_consumer)
  TOLD(offer_change)
};

class SequencePushConsumer : public POA_CosNotifyComm::SequencePushConsumer, public Client {
 public:
  using Client::Client;
  void push_structured_events(const CosNotification::EventBatch& events) {
    took("push_structured_events", values::batch_text(events));
  }
  ENDED(disconnect_sequence_push_consumer)
  TOLD(offer_change)
};

class PullConsumer : public POA_CosNotifyComm::PullConsumer, public Client {
 public:
  using Client::Client;
  ENDED(disconnect_pull_consumer)
  TOLD(offer_change)
};

class StructuredPullConsumer : public POA_CosNotifyComm::StructuredPullConsumer, public Client {
 public:
  using Client::Client;
  ENDED(disconnect_structured_pull_consumer)
  TOLD(offer_change)
};

class SequencePullConsumer : public POA_CosNotifyComm::SequencePullConsumer, public Client {
 public:
  using Client::Client;
  ENDED(disconnect_sequence_pull_consumer)
  TOLD(offer_change)
};

class EventPushConsumer : public POA_CosEventComm::PushConsumer, public Client {
 public:
  using Client::Client;
  void push(const CORBA::Any& data) { took("push", values::value_text(data)); }
  ENDED(disconnect_push_consumer)
};

class EventPullConsumer : public POA_CosEventComm::PullConsumer, public Client {
 public:
  using Client::Client;
  ENDED(disconnect_pull_consumer)
};

// ---------------------------------------------------------------- suppliers

class PushSupplier : public POA_CosNotifyComm::PushSupplier, public Client {
 public:
  using Client::Client;
  ENDED(disconnect_push_supplier)
  TOLD(subscription_change)
};

class StructuredPushSupplier : public POA_CosNotifyComm::StructuredPushSupplier, public Client {
 public:
  using Client::Client;
  ENDED(disconnect_structured_push_supplier)
  TOLD(subscription_change)
};

class SequencePushSupplier : public POA_CosNotifyComm::SequencePushSupplier, public Client {
 public:
  using Client::Client;
  ENDED(disconnect_sequence_push_supplier)
  TOLD(subscription_change)
};

class EventPushSupplier : public POA_CosEventComm::PushSupplier, public Client {
 public:
  using Client::Client;
  ENDED(disconnect_push_supplier)
};

template <typename Base>
class AnySource : public Base, public Client {
 public:
  using Client::Client;
  CORBA::Any* pull() {
    bool has;
    return taken_any(has);
  }
  CORBA::Any* try_pull(CORBA::Boolean& has_event) {
    bool has;
    CORBA::Any* made = taken_any(has);
    has_event = has;
    return made;
  }
  ENDED(disconnect_pull_supplier)
};

class PullSupplier : public AnySource<POA_CosNotifyComm::PullSupplier> {
 public:
  using AnySource::AnySource;
  TOLD(subscription_change)
};

class EventPullSupplier : public AnySource<POA_CosEventComm::PullSupplier> {
 public:
  using AnySource::AnySource;
};

class StructuredPullSupplier : public POA_CosNotifyComm::StructuredPullSupplier, public Client {
 public:
  using Client::Client;
  CosNotification::StructuredEvent* pull_structured_event() {
    bool has;
    return taken_event(has);
  }
  CosNotification::StructuredEvent* try_pull_structured_event(CORBA::Boolean& has_event) {
    bool has;
    CosNotification::StructuredEvent* made = taken_event(has);
    has_event = has;
    return made;
  }
  ENDED(disconnect_structured_pull_supplier)
  TOLD(subscription_change)
};

class SequencePullSupplier : public POA_CosNotifyComm::SequencePullSupplier, public Client {
 public:
  using Client::Client;
  CosNotification::EventBatch* pull_structured_events(CORBA::Long most) {
    bool has;
    return taken_batch(most, has);
  }
  CosNotification::EventBatch* try_pull_structured_events(CORBA::Long most,
                                                          CORBA::Boolean& has_event) {
    bool has;
    CosNotification::EventBatch* made = taken_batch(most, has);
    has_event = has;
    return made;
  }
  ENDED(disconnect_sequence_pull_supplier)
  TOLD(subscription_change)
};

}  // namespace clients

#endif
