#include "runtime/session.hpp"

#include "runtime/prompt_text.hpp"
#include "runtime/readable_output.hpp"
#include "runtime/session_impl.hpp"

#include <algorithm>
#include <utility>

namespace parley::runtime {

using namespace protocol;

namespace {

// The end of a response of which not everything could be told.
response_done failed_instead(response_done ending, const wire_error& error) {
  ending.response.status = response_status::failed;
  ending.response.reason = status_reason::none;
  ending.response.failure = error;
  return ending;
}

}  // namespace

session::impl::impl(session_options options)
    : context(std::move(options)),
      input(context, *this),
      limiter(context.options.limits.responses_per_minute, context.options.limits.tokens_per_minute) {
  if (context.is_duplex()) {
    duplex = std::make_unique<duplex_half>(context, *this);
  } else if (const auto& can = context.options.capabilities; can.native) {
    native_feed.emplace(can.chunk_period, context.settings->input_format.rate_hz);
  }
}

session::session(session_options options) : impl_(std::make_unique<impl>(std::move(options))) {}
session::~session() = default;
session::session(session&&) noexcept = default;
session& session::operator=(session&&) noexcept = default;

void session::impl::begin(time_point now, actions& out) {
  context.now = now;
  context.out = &out;
  context.client_event_id.reset();
}

void session::start(time_point now, actions& out) {
  impl_->begin(now, out);
  if (const auto& limit = impl_->context.options.max_duration) impl_->expires = now + *limit;
  impl_->context.emit(session_created{impl_->view(), impl_->context.options.resume});
  if (!impl_->duplex) return;
  impl_->duplex->life.start(now);
  impl_->context.emit(session_updated{impl_->view()});
}

void session::on(const command& command, time_point now, actions& out) {
  if (impl_->closed) return;
  impl_->begin(now, out);
  impl_->context.client_event_id = command.client_event_id;
  if (impl_->duplex) {
    impl_->take_in(command);
  } else {
    std::visit([&](const auto& body) { impl_->handle(body); }, command.body);
  }
  impl_->settle();
}

void session::on(wire_error error, time_point now, actions& out) {
  if (impl_->closed) return;
  impl_->begin(now, out);
  impl_->handle_bad_message(std::move(error));
}

void session::on(model_output output, time_point now, actions& out) {
  if (impl_->closed) return;
  impl_->begin(now, out);
  std::visit([&](auto&& one) { impl_->take(std::forward<decltype(one)>(one)); }, readable(std::move(output)));
  impl_->settle();
}

void session::on(const receipt& sent, time_point) {
  if (!sent.item) return;
  const auto one = impl_->context.spoken.find(*sent.item);
  if (one != impl_->context.spoken.end()) one->second.track.sequenced(sent.first_sample + sent.samples);
  response* const of = sent.response ? impl_->find_response(*sent.response) : nullptr;
  if (of) of->sent(sent.samples);
}

void session::on_overflow(const output_overflow& what, time_point now, actions& out) {
  if (impl_->closed) return;
  impl_->begin(now, out);
  session_context& context = impl_->context;
  wire_error error{.kind = error_class::rate_limit_error,
                   .code = errc::output_backpressure,
                   .message = "The output was not read fast enough."};
  const bool only_response = what.response && context.options.fail_response_on_overflow;
  response* const one = what.response ? impl_->find_response(*what.response) : nullptr;
  const bool has_ending = one || what.ending;
  const bool error_first = impl_->duplex && !only_response;
  if (error_first) context.refuse(error);
  if (one) {
    one->fail(context, error);
  } else if (what.ending) {
    context.emit(failed_instead(*what.ending, error), what.response);
  }
  if (!error_first && !(only_response && has_ending)) context.refuse(std::move(error));
  if (only_response) return impl_->settle();
  impl_->end(close_reason::output_backpressure);
}

void session::wake(time_point now, actions& out) {
  if (impl_->closed) return;
  impl_->begin(now, out);
  if (impl_->expires && now >= *impl_->expires) return impl_->expire();
  if (impl_->duplex) {
    if (impl_->duplex->life.grace_over(now)) return impl_->end(close_reason::grace_expired);
    if (impl_->duplex->life.idle_over(impl_->idle_limit(), now)) return impl_->end(close_reason::idle_expired);
    impl_->expire_unit();
  } else {
    impl_->input.wake();
  }
  impl_->break_silence();
  impl_->release_due();
  impl_->settle();
}

void session::drain(time_point now, actions& out) {
  if (impl_->closed) return;
  impl_->begin(now, out);
  impl_->draining = true;
  impl_->settle();
}

void session::close(close_reason reason, time_point now, actions& out) {
  if (impl_->closed) return;
  impl_->begin(now, out);
  impl_->end(reason);
}

std::optional<time_point> session::deadline() const {
  if (impl_->closed) return std::nullopt;
  std::optional<time_point> first = impl_->expires;
  const auto consider = [&](std::optional<time_point> other) {
    if (other && (!first || *other < *first)) first = other;
  };
  if (impl_->duplex) {
    consider(impl_->duplex->life.deadline(impl_->idle_limit()));
    consider(impl_->unit_deadline());
  } else {
    consider(impl_->input.deadline());
  }
  consider(impl_->idle_deadline());
  if (impl_->active) consider(impl_->active->deadline(impl_->context));
  for (const response& one : impl_->out_of_band) consider(one.deadline(impl_->context));
  return first;
}

bool session::closed() const { return impl_->closed; }

session_view session::view() const { return impl_->view(); }

void session::detach(time_point now) {
  if (impl_->duplex) impl_->duplex->life.detach(now);
}

bool session::attach(time_point now, actions& out) {
  if (impl_->closed || !impl_->duplex) return false;
  impl_->begin(now, out);
  const bool late = impl_->duplex->life.grace_over(now);
  if (late) impl_->end(close_reason::grace_expired);
  if (!late) impl_->duplex->life.attach(now);
  return !late;
}

// ---- session-wide ------------------------------------------------------------------------------------------------

session_view session::impl::view() const {
  session_view shown{context.options.id, context.settings, std::nullopt};
  if (const auto& limit = context.options.max_duration) {
    shown.expires_at =
        context.options.started_unix_s + std::chrono::duration_cast<std::chrono::seconds>(*limit).count();
  }
  if (duplex) shown.duplex = duplex_view();
  return shown;
}

// What a patch may not do in the life of this session.
std::optional<wire_error> session::impl::unusable(const session_patch& patch) const {
  const session_settings& now = *context.settings;
  if (patch.model && *patch.model != now.model) {
    return wire_error{
        .code = errc::invalid_value, .message = "The model of a session cannot be changed.", .param = "session.model"};
  }
  if (patch.voice && *patch.voice != now.voice && context.has_spoken) {
    return wire_error{.code = errc::cannot_update_voice,
                      .message = "The voice cannot be changed after the model has spoken.",
                      .param = "session.audio.output.voice"};
  }
  if (patch.speed && *patch.speed != 1.0 && !context.options.capabilities.adapts_speed) {
    return wire_error{.code = errc::invalid_value,
                      .message = "This model speaks at its own speed.",
                      .param = "session.audio.output.speed"};
  }
  if (const auto& format = patch.input_format;
      format && format->rate_hz != now.input_format.rate_hz && input.holds_turn()) {
    return wire_error{.code = errc::invalid_value,
                      .message = "The input rate cannot change while the buffer holds audio: commit or clear it.",
                      .param = "session.audio.input.format"};
  }
  if (patch.prompt && *patch.prompt) return unknown_prompt(context.options.prompts.get(), **patch.prompt, "session");
  return std::nullopt;
}

void session::impl::handle(const session_update& update) {
  if (auto error = unusable(update.patch)) return context.refuse(*std::move(error));
  auto next = merged(*context.settings, update.patch);
  if (!next) return context.refuse(next.error());
  const auto before = std::exchange(context.settings, std::make_shared<const session_settings>(std::move(*next)));
  input.reconfigure(*before);
  context.emit(session_updated{view()});
}

void session::impl::handle_bad_message(wire_error error) {
  context.emit(error_event{std::move(error), true});
  if (context.now - bad_since > std::chrono::minutes{1}) {
    bad_since = context.now;
    bad_messages = 0;
  }
  if (++bad_messages < context.options.limits.bad_messages) return;
  context.refuse({.code = errc::too_many_bad_messages, .message = "Too many messages that are no events."});
  end(close_reason::policy_violation);
}

// What an input left to do: responses that ended make room for the next, a drained session goes when it is idle.
void session::impl::settle() {
  if (closed) return;
  let_go_finished();
  if (answer_owed && may_answer()) answer_turns();
  let_go_finished();
  if (duplex) {
    run_waiting();  // an answer that ended lets go what was deferred
    let_go_finished();
    mind_the_lease();
  }
  if (draining && idle()) end(close_reason::shutdown);
}

void session::impl::expire() {
  end_responses();
  context.refuse({.code = errc::session_expired, .message = "The session reached its maximum duration."});
  end(close_reason::session_expired);
}

void session::impl::end_responses() {
  interrupt(status_reason::session_closed);
  for (response& one : out_of_band) one.cancel(context, status_reason::session_closed);
}

void session::impl::end(close_reason reason) {
  end_responses();
  if (duplex) {
    context.act(close_session{reason, terminal(reason, std::string{duplex_text(reason)}), context.ids.event()});
  } else {
    context.act(close_session{reason});
  }
  closed = true;
}

}  // namespace parley::runtime
