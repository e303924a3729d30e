// Suppliers: they push numbered events, one call at a time.
#ifndef TIDINGS_BENCH_SUPPLIERS_H
#define TIDINGS_BENCH_SUPPLIERS_H

#include <string>

#include "load.hh"

// An event of five fields, as `tidings.bench.figures` makes them; the number is in `zone`.
inline void fill(CosNotification::StructuredEvent& event, long long number) {
  event.header.fixed_header.event_type.domain_name = "Traffic";
  event.header.fixed_header.event_type.type_name = "Speed";
  event.header.fixed_header.event_name = ("car-" + std::to_string(number)).c_str();
  static const char* const names[] = {"rate", "area", "lane", "zone", "car"};
  event.filterable_data.length(5);
  for (CORBA::ULong at = 0; at < 5; ++at) event.filterable_data[at].name = names[at];
  event.filterable_data[0].value <<= static_cast<CORBA::Double>(57.5 + number);
  event.filterable_data[1].value <<= static_cast<CORBA::Long>(0);
  event.filterable_data[2].value <<= static_cast<CORBA::Long>(number % 4);
  event.filterable_data[3].value <<= static_cast<CORBA::Long>(number);
  event.filterable_data[4].value <<= ("x" + std::to_string(number)).c_str();
}

// Pushes events in one form.
class Supplier {
 public:
  virtual ~Supplier() {}
  // One call with `count` events, the first of which has this number.
  virtual void push(long long first, long count) = 0;
};

class AnySupplier : public Supplier {
 public:
  explicit AnySupplier(CosEventChannelAdmin::EventChannel_ptr channel) {
    CosEventChannelAdmin::SupplierAdmin_var admin = channel->for_suppliers();
    proxy_ = admin->obtain_push_consumer();
    proxy_->connect_push_supplier(CosEventComm::PushSupplier::_nil());
  }
  void push(long long first, long) override {
    CORBA::Any data;
    data <<= static_cast<CORBA::LongLong>(first);
    proxy_->push(data);
  }

 private:
  CosEventChannelAdmin::ProxyPushConsumer_var proxy_;
};

inline CosNotifyChannelAdmin::ProxyConsumer_ptr obtained(
    CosNotifyChannelAdmin::EventChannel_ptr channel, CosNotifyChannelAdmin::ClientType form) {
  CosNotifyChannelAdmin::SupplierAdmin_var admin = channel->default_supplier_admin();
  CosNotifyChannelAdmin::ProxyID id;
  return admin->obtain_notification_push_consumer(form, id);
}

class StructuredSupplier : public Supplier {
 public:
  explicit StructuredSupplier(CosNotifyChannelAdmin::EventChannel_ptr channel) {
    CosNotifyChannelAdmin::ProxyConsumer_var made =
        obtained(channel, CosNotifyChannelAdmin::STRUCTURED_EVENT);
    proxy_ = CosNotifyChannelAdmin::StructuredProxyPushConsumer::_narrow(made);
    proxy_->connect_structured_push_supplier(CosNotifyComm::StructuredPushSupplier::_nil());
  }
  void push(long long first, long) override {
    CosNotification::StructuredEvent event;
    fill(event, first);
    proxy_->push_structured_event(event);
  }

 private:
  CosNotifyChannelAdmin::StructuredProxyPushConsumer_var proxy_;
};

class SequenceSupplier : public Supplier {
 public:
  explicit SequenceSupplier(CosNotifyChannelAdmin::EventChannel_ptr channel) {
    CosNotifyChannelAdmin::ProxyConsumer_var made =
        obtained(channel, CosNotifyChannelAdmin::SEQUENCE_EVENT);
    proxy_ = CosNotifyChannelAdmin::SequenceProxyPushConsumer::_narrow(made);
    proxy_->connect_sequence_push_supplier(CosNotifyComm::SequencePushSupplier::_nil());
  }
  void push(long long first, long count) override {
    CosNotification::EventBatch batch;
    batch.length(count);
    for (long at = 0; at < count; ++at) fill(batch[at], first + at);
    proxy_->push_structured_events(batch);
  }

 private:
  CosNotifyChannelAdmin::SequenceProxyPushConsumer_var proxy_;
};

#endif
