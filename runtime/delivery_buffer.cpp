// The delivery buffer; see the header for its place and threads. Invariants, whenever m_ is free:
//  1. used_ is the sum over queue_ by room; the reserve is within its limits, and so is the ordinary room unless one
//  event
//     is larger than all of it: then it is the only one in there.
//  2. wake_ is set only while queue_ is empty and the buffer is open.
//  3. The terminal event is last in queue_: it is appended by the step that closes, and nothing is let in after it.
#include "runtime/delivery_buffer.hpp"

#include "protocol/encode.hpp"

#include <boost/system/errc.hpp>

#include <cassert>
#include <utility>
#include <variant>

namespace parley::runtime {
namespace {

namespace errc = boost::system::errc;

constexpr const char* terminal_too_large = "close_details_exceed_output_limit";

// What may use the reserve: the client must learn of it even when it reads too slowly.
bool is_vital(const protocol::event_body& body) noexcept {
  return std::holds_alternative<protocol::error_event>(body) || std::holds_alternative<protocol::response_done>(body);
}

receipt facts_of(const protocol::server_event& event) {
  receipt facts;
  facts.event = event.id;
  if (const auto* response = protocol::response_of(event.body)) facts.response = *response;
  if (const auto* audio = std::get_if<protocol::audio_delta>(&event.body)) {
    facts.item = audio->at.item;
    facts.first_sample = audio->first_sample;
    facts.samples = static_cast<std::int64_t>(audio->samples.size());
  }
  return facts;
}

std::size_t index(auto where) noexcept { return static_cast<std::size_t>(where); }

}  // namespace

boost::system::result<std::unique_ptr<delivery_buffer>> delivery_buffer::make(const delivery_limits& limits,
                                                                              protocol::dialect spoken) {
  for (const std::size_t limit :
       {limits.max_bytes, limits.max_events, limits.reserve_bytes, limits.reserve_events, limits.max_terminal_bytes}) {
    if (limit == 0) return errc::make_error_code(errc::invalid_argument);
  }
  return std::unique_ptr<delivery_buffer>(new delivery_buffer(limits, spoken));
}

delivery_buffer::delivery_buffer(const delivery_limits& limits, protocol::dialect spoken)
    : limits_{usage{limits.max_bytes, limits.max_events}, usage{limits.reserve_bytes, limits.reserve_events},
              usage{limits.max_terminal_bytes, 1}},
      spoken_(spoken) {}

// ---- making entries, outside the lock -----------------------------------------------------------------------------

delivery_buffer::entry delivery_buffer::make_entry(const protocol::server_event& event) const {
  entry made;
  made.bytes = std::make_shared<std::string>(protocol::render(spoken_, event));
  made.size_bytes = made.bytes->size();
  made.facts = facts_of(event);
  made.journaled = protocol::is_journaled(event.body);
  if (const auto* audio = std::get_if<protocol::audio_delta>(&event.body)) {
    made.audio = true;
    made.epoch = audio->epoch;
  }
  return made;
}

delivery_buffer::entry delivery_buffer::make_terminal(const protocol::event_id& id,
                                                      protocol::terminal_event terminal) const {
  std::string bytes = protocol::render(id, terminal);
  if (bytes.size() > limits_[index(room::terminal)].bytes) {
    terminal.reason = terminal_too_large;
    terminal.details = protocol::raw_json{"{}"};
    bytes = protocol::render(id, terminal);
  }
  entry made;
  made.size_bytes = bytes.size();
  made.bytes = std::make_shared<std::string>(std::move(bytes));
  made.facts.event = id;
  return made;
}

// ---- producers ----------------------------------------------------------------------------------------------------

put_result delivery_buffer::put(const protocol::server_event& event) {
  rendered fresh = render(event);
  return put(fresh);
}

delivery_buffer::rendered delivery_buffer::render(const protocol::server_event& event) const {
  rendered fresh;
  if (protocol::is_spoken(spoken_, event.body)) fresh.node_.push_back(make_entry(event));
  fresh.vital_ = is_vital(event.body);
  return fresh;
}

put_result delivery_buffer::put(rendered& event) {
  std::function<void()> wake;
  {
    const std::lock_guard lock(m_);
    if (closed_) return put_result::closed;
    if (event.node_.empty()) return put_result::accepted;
    const auto where = find_room(event.node_.front().size_bytes, event.vital_);
    if (!where) return put_result::overflow;
    wake = append(event.node_, *where);
  }
  if (wake) wake();
  return put_result::accepted;
}

void delivery_buffer::invalidate(const protocol::response_id& response, protocol::epoch through) {
  const auto stale = [&](const entry& one) {
    return one.audio && one.epoch <= through && one.facts.response == response;
  };
  entries removed;  // destroyed after the lock is released
  const std::lock_guard lock(m_);
  for (auto next = queue_.begin(); next != queue_.end();) {
    const auto one = next++;
    if (!stale(*one)) continue;
    uncount(*one);
    removed.splice(removed.end(), queue_, one);
  }
  if (!held_.empty() && !held_.front().sequenced && stale(held_.front())) held_.front().valid = false;
}

void delivery_buffer::close(std::optional<protocol::terminal_event> terminal, protocol::event_id id) {
  entries fresh;
  if (terminal) fresh.push_back(make_terminal(id, *std::move(terminal)));
  std::function<void()> wake;
  {
    const std::lock_guard lock(m_);
    if (closed_) return;
    closed_ = true;
    wake = fresh.empty() ? std::exchange(wake_, nullptr) : append(fresh, room::terminal);
  }
  if (wake) wake();
}

// ---- consumer -----------------------------------------------------------------------------------------------------

boost::system::result<delivery_buffer::get_status> delivery_buffer::get(std::function<void()> wake) {
  entries released;  // destroyed after the lock is released
  const std::lock_guard lock(m_);
  if (wake_) return errc::make_error_code(errc::operation_in_progress);
  released.swap(held_);
  if (!queue_.empty()) {
    uncount(queue_.front());
    held_.splice(held_.end(), queue_, queue_.begin());
    return get_status::ready;
  }
  if (closed_) return get_status::drained;
  wake_.swap(wake);
  return get_status::waiting;
}

delivery_buffer::guard::guard(delivery_buffer& buffer) : buffer_(buffer), lock_(buffer.m_) {
  assert(!buffer_.held_.empty());
}

bool delivery_buffer::guard::valid() const noexcept { return buffer_.held_.front().valid; }

bool delivery_buffer::guard::journaled() const noexcept { return buffer_.held_.front().journaled; }

receipt delivery_buffer::guard::sequence(std::uint64_t number, bool splice) {
  entry& held = buffer_.held_.front();
  assert(held.valid && !held.sequenced);
  held.sequenced = true;
  if (splice) protocol::append_sequence(*held.bytes, number);
  held.facts.sequence = number;
  return std::move(held.facts);
}

std::shared_ptr<const std::string> delivery_buffer::guard::bytes() const {
  assert(buffer_.held_.front().sequenced);
  return buffer_.held_.front().bytes;
}

// ---- counts, under the lock ---------------------------------------------------------------------------------------

std::size_t delivery_buffer::pending_bytes() const {
  const std::lock_guard lock(m_);
  std::size_t sum = 0;
  for (const usage& one : used_) sum += one.bytes;
  return sum;
}

std::size_t delivery_buffer::pending_events() const {
  const std::lock_guard lock(m_);
  return queue_.size();
}

bool delivery_buffer::fits(room where, std::size_t size_bytes) const noexcept {
  const usage& limit = limits_[index(where)];
  const usage& used = used_[index(where)];
  return used.events < limit.events && used.bytes <= limit.bytes && size_bytes <= limit.bytes - used.bytes;
}

std::optional<delivery_buffer::room> delivery_buffer::find_room(std::size_t size_bytes, bool vital) const noexcept {
  if (queue_.empty()) return room::ordinary;  // alone, whatever its size
  if (fits(room::ordinary, size_bytes)) return room::ordinary;
  if (vital && fits(room::reserve, size_bytes)) return room::reserve;
  return std::nullopt;
}

// Takes the one entry of `fresh` in; returns what to call after unlocking.
std::function<void()> delivery_buffer::append(entries& fresh, room where) noexcept {
  fresh.front().counted_in = where;
  used_[index(where)].bytes += fresh.front().size_bytes;
  used_[index(where)].events += 1;
  queue_.splice(queue_.end(), fresh);
  return std::exchange(wake_, nullptr);
}

void delivery_buffer::uncount(const entry& gone) noexcept {
  used_[index(gone.counted_in)].bytes -= gone.size_bytes;
  used_[index(gone.counted_in)].events -= 1;
}

}  // namespace parley::runtime
