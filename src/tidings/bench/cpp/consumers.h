// Consumers that count what they get and check that it is the next they should get.
#ifndef TIDINGS_BENCH_CONSUMERS_H
#define TIDINGS_BENCH_CONSUMERS_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "load.hh"

using Nanoseconds = long long;

// The clock is the same for all processes of a machine.
inline Nanoseconds now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Consumers that all get the same events.
class Group {
 public:
  explicit Group(bool times) : times_(times) {}

  // How many events are to come, over all consumers.
  void begin(long wanted) {
    std::lock_guard<std::mutex> held(lock_);
    wanted_ = wanted;
    received_ = 0;
    wrong_ = 0;
    came_.clear();
  }

  // An event came; `is_right` if it is the next one of its consumer.
  void take(bool is_right) {
    if (!is_right) ++wrong_;
    if (times_) {
      std::lock_guard<std::mutex> held(lock_);
      came_.push_back(now());
    }
    if (++received_ != wanted_) return;
    std::lock_guard<std::mutex> held(lock_);
    last_ = now();
    complete_.notify_all();
  }

  void wait(double seconds) {
    std::unique_lock<std::mutex> held(lock_);
    complete_.wait_for(held, std::chrono::duration<double>(seconds),
                       [this] { return received_ >= wanted_; });
  }

  long received() const { return received_; }
  long wrong() const { return wrong_; }
  Nanoseconds last() const { return last_; }
  std::vector<Nanoseconds> came() {
    std::lock_guard<std::mutex> held(lock_);
    return came_;
  }

 private:
  const bool times_;
  std::mutex lock_;
  std::condition_variable complete_;
  std::atomic<long> wanted_{0}, received_{0}, wrong_{0};
  std::atomic<Nanoseconds> last_{0};
  std::vector<Nanoseconds> came_;
};

// What consumers of all forms have in common: which number must come next.
class Counting {
 public:
  explicit Counting(Group& group) : group_(group) {}
  void expect(long long first) { next_ = first; }

 protected:
  void take(bool has_number, long long number) {
    group_.take(has_number && number == next_++);
  }
  // The number of a structured event: its field `zone`; the other four are looked at as well.
  void take(const CosNotification::StructuredEvent& event) {
    const CosNotification::PropertySeq& fields = event.filterable_data;
    CORBA::Long number = -1, area = -1, lane = -1;
    CORBA::Double rate = -1;
    const char* car = "";
    bool is_whole = fields.length() == 5 && (fields[0].value >>= rate) &&
                    (fields[1].value >>= area) && (fields[2].value >>= lane) &&
                    (fields[3].value >>= number) && (fields[4].value >>= car);
    is_whole = is_whole && area == 0 && lane == number % 4 && rate == 57.5 + number &&
               std::string(event.header.fixed_header.event_name) ==
                   "car-" + std::to_string(number) &&
               car == "x" + std::to_string(number);
    take(is_whole, number);
  }

 private:
  Group& group_;
  std::atomic<long long> next_{0};
};

class AnyConsumer : public Counting, public POA_CosEventComm::PushConsumer {
 public:
  using Counting::Counting;
  void push(const CORBA::Any& data) {
    CORBA::LongLong number = -1;
    bool has_number = data >>= number;
    take(has_number, number);
  }
  void disconnect_push_consumer() {}
};

class StructuredConsumer : public Counting,
                           public POA_CosNotifyComm::StructuredPushConsumer {
 public:
  using Counting::Counting;
  void push_structured_event(const CosNotification::StructuredEvent& event) { take(event); }
  void disconnect_structured_push_consumer() {}
  void offer_change(const CosNotification::EventTypeSeq&, const CosNotification::EventTypeSeq&) {}
};

class SequenceConsumer : public Counting, public POA_CosNotifyComm::SequencePushConsumer {
 public:
  using Counting::Counting;
  void push_structured_events(const CosNotification::EventBatch& events) {
    for (CORBA::ULong at = 0; at < events.length(); ++at) take(events[at]);
  }
  void disconnect_sequence_push_consumer() {}
  void offer_change(const CosNotification::EventTypeSeq&, const CosNotification::EventTypeSeq&) {}
};

#endif
