#include "evaluate/protocol.h"

#include "core/json.h"

namespace kopt::protocol {

std::string encode(const Setup &setup) {
  Json windows = Json::array();
  for (const Window &window : setup.windows) {
    Json segments = Json::array();
    for (const Segment &segment : window.segments) segments.push_back({segment.address, segment.file_offset, segment.length});
    windows.push_back(Json{{"segments", segments}, {"leaves", window.leaves}, {"outputs", window.outputs}});
  }
  return Json{{"baseline", setup.baseline},   {"candidate", setup.candidate},     {"landlock", setup.use_landlock},
              {"seccomp", setup.use_seccomp}, {"reservation", setup.reservation}, {"windows", windows},
              {"threads", setup.threads}}
      .dump();
}

namespace {

Setup setup_from(const Json &json) {
  Setup setup{
      json.at("baseline"), json.at("candidate"), json.at("landlock"), json.at("seccomp"), json.at("reservation"), {}, 1};
  setup.threads = json.at("threads");
  for (const Json &item : json.at("windows")) {
    Window window;
    for (const Json &segment : item.at("segments")) window.segments.push_back({segment.at(0), segment.at(1), segment.at(2)});
    window.leaves = item.at("leaves").get<std::vector<std::int64_t>>();
    window.outputs = item.at("outputs").get<std::vector<std::int64_t>>();
    setup.windows.push_back(std::move(window));
  }
  return setup;
}

} // namespace

Result<Setup> decode_setup(const std::string &text) {
  try {
    return setup_from(Json::parse(text));
  } catch (const nlohmann::json::exception &error) {
    return fail(std::string("the runner's setup cannot be read: ") + error.what());
  }
}

} // namespace kopt::protocol
