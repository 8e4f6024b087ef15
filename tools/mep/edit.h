// Edit: the one change that KernelOpt makes to a host source. The *anchor* is the text of the kernel's definition from its
// first token to its `{`; an *anchored edit* puts text ahead of the anchor and text just after it, and touches nothing else.
#pragma once

#include "core/error.h"
#include "core/model.h"

#include <map>
#include <string>
#include <string_view>

namespace kopt {

struct AnchoredEdit {
  std::string before; // whole lines, ahead of the kernel's definition
  std::string after;  // no line break: stays on the line of the `{`
};

// Offset of the anchor's exact text in `text`: the only occurrence that starts a declaration, or the one nearest to where it
// was recorded (by offset, or by line where no offset is known). Occurrences in comments and literals, and in the middle of a
// declaration, do not count. An Error if none is left.
[[nodiscard]] Result<long> find_anchor(std::string_view text, const Anchor &anchor);

// `#line 1 "file"` and the original, with edit.before ahead of the anchor, a #line back to the anchor's line, the anchor's text
// at its own column, then edit.after on the same line: every line of the original keeps its number.
[[nodiscard]] std::string apply_edit(std::string_view original, long offset, long length, const std::string &file,
                                     const AnchoredEdit &edit);

// Several changes of one source, by places in the original; they must not overlap. Anchored edits of one place, those of
// several instantiations of a template, become one: all texts ahead of the anchor, then all after it.
class Edits {
public:
  void add(long offset, long length, const AnchoredEdit &edit);
  // Puts `text` in the place of these bytes; it has to lead back to the original's lines.
  void replace(long offset, long length, std::string text);
  [[nodiscard]] bool empty() const { return anchored_.empty() && replaced_.empty(); }
  // `#line 1 "file"` and the changed text, without a byte order mark.
  [[nodiscard]] std::string apply(std::string_view original, const std::string &file) const;

private:
  struct Anchored {
    long length = 0;
    AnchoredEdit edit;
  };
  struct Replaced {
    long length = 0;
    std::string text;
  };
  std::map<long, Anchored> anchored_; // by offset
  std::map<long, Replaced> replaced_;
};

// `#line <line> "<file>"` with a line break, the name quoted as C++ wants it.
[[nodiscard]] std::string line_directive(long line, const std::string &file);

} // namespace kopt
