// Header: a kernel that is defined in a header is put into each source that includes the header itself: the line `#include
// "k.h"` is replaced by the header's text with the edits in it, so that the application's files stay as they are. Inside, what
// the header includes from its own folder is included by its absolute path, and `#pragma once` becomes a guard of ours.
#pragma once

#include "core/disk.h"
#include "mep/edit.h"

#include <string>
#include <string_view>

namespace kopt {

// Replaces the source's lines that include the header by the header's text with its edits. An Error if there is none.
[[nodiscard]] Result<void> put_in_header(const Disk &disk, std::string_view text, const fs::path &source,
                                         const fs::path &header, const std::string &header_text, const Edits &header_edits,
                                         Edits &source_edits);

} // namespace kopt
