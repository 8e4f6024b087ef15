#include "propose/rules/scheduler.h"

#include "core/bounded.h"
#include "core/json.h"

#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/ast_build.h>
#include <isl/ctx.h>
#include <isl/id.h>
#include <isl/options.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <isl/val.h>

namespace kopt {

namespace {

// isl counts no operations while it solves the integer programs that give coefficients: small ones are found at once, and a
// schedule that needs others is no gain; the bound in time is there for what remains.
constexpr int largest_coefficient = 4;
constexpr unsigned seconds_allowed = 10;
constexpr unsigned long operations_allowed = 20'000'000;
constexpr const char *independent_mark = "independent";

// isl's objects are counted by hand; these give them back.
template <typename T, T *(*Free)(T *)> struct Freed {
  void operator()(T *object) const { Free(object); }
};
using Orders = std::unique_ptr<isl_union_map, Freed<isl_union_map, isl_union_map_free>>;
struct FreeContext {
  void operator()(isl_ctx *context) const { isl_ctx_free(context); }
};

std::string text_of(isl_id *id) { // takes it
  std::string name = isl_id_get_name(id) ? isl_id_get_name(id) : "";
  isl_id_free(id);
  return name;
}

// --- expressions and loops of the syntax tree ---

class Reader {
public:
  explicit Reader(const Timetable &table) : table_(table) {}

  Scan read(isl_ast_node *node, bool independent = false) const { // takes it
    Scan scan;
    switch (isl_ast_node_get_type(node)) {
    case isl_ast_node_for:
      scan = loop(node, independent);
      break;
    case isl_ast_node_if:
      scan = branch(node, independent);
      break;
    case isl_ast_node_block:
      scan = block(node, independent);
      break;
    case isl_ast_node_mark: {
      const bool marked = text_of(isl_ast_node_mark_get_id(node)) == independent_mark;
      scan = read(isl_ast_node_mark_get_node(node), independent || marked);
      break;
    }
    case isl_ast_node_user:
      scan = run(node);
      break;
    default:
      break;
    }
    isl_ast_node_free(node);
    return scan;
  }

private:
  const Timetable &table_;

  Scan loop(isl_ast_node *node, bool independent) const {
    Scan scan;
    scan.kind = Scan::Kind::Loop;
    scan.iterator = print(isl_ast_node_for_get_iterator(node));
    scan.first = print(isl_ast_node_for_get_init(node));
    if (!isl_ast_node_for_is_degenerate(node)) {
      scan.condition = print(isl_ast_node_for_get_cond(node));
      scan.step = print(isl_ast_node_for_get_inc(node));
      scan.independent = independent;
    }
    scan.body.push_back(read(isl_ast_node_for_get_body(node), independent));
    return scan;
  }

  Scan branch(isl_ast_node *node, bool independent) const {
    Scan scan;
    scan.kind = Scan::Kind::Branch;
    scan.condition = print(isl_ast_node_if_get_cond(node));
    scan.body.push_back(read(isl_ast_node_if_get_then(node), independent));
    if (isl_ast_node_if_has_else(node)) scan.otherwise.push_back(read(isl_ast_node_if_get_else(node), independent));
    return scan;
  }

  Scan block(isl_ast_node *node, bool independent) const {
    Scan scan;
    isl_ast_node_list *children = isl_ast_node_block_get_children(node);
    for (int i = 0; i < isl_ast_node_list_n_ast_node(children); ++i)
      scan.body.push_back(read(isl_ast_node_list_get_ast_node(children, i), independent));
    isl_ast_node_list_free(children);
    return scan;
  }

  Scan run(isl_ast_node *node) const {
    Scan scan;
    scan.kind = Scan::Kind::Run;
    isl_ast_expr *call = isl_ast_node_user_get_expr(node);
    scan.statement = print(isl_ast_expr_get_op_arg(call, 0));
    for (int i = 1; i < isl_ast_expr_get_op_n_arg(call); ++i) scan.values.push_back(print(isl_ast_expr_get_op_arg(call, i)));
    isl_ast_expr_free(call);
    return scan;
  }

  std::string print(isl_ast_expr *expression) const { // takes it
    std::string text;
    if (isl_ast_expr_get_type(expression) == isl_ast_expr_id) {
      text = text_of(isl_ast_expr_get_id(expression));
    } else if (isl_ast_expr_get_type(expression) == isl_ast_expr_int) {
      isl_val *value = isl_ast_expr_get_val(expression);
      text = std::to_string(isl_val_get_num_si(value));
      isl_val_free(value);
    } else {
      text = operation(expression);
    }
    isl_ast_expr_free(expression);
    return text;
  }

  std::string operation(isl_ast_expr *expression) const {
    std::vector<std::string> parts; // in parentheses where they are operations themselves
    for (int i = 0; i < isl_ast_expr_get_op_n_arg(expression); ++i) {
      isl_ast_expr *part = isl_ast_expr_get_op_arg(expression, i);
      const bool simple = isl_ast_expr_get_type(part) != isl_ast_expr_op;
      std::string text = print(part);
      const bool call = !simple && (text.starts_with(table_.least + "(") || text.starts_with(table_.most + "("));
      parts.push_back(simple || call ? text : "(" + text + ")");
    }
    const auto infix = [&](const char *op) { return fmt::format("{} {} {}", parts[0], op, parts[1]); };
    const auto nested = [&](const std::string &function) {
      std::string text = parts[0];
      for (size_t i = 1; i < parts.size(); ++i) text = fmt::format("{}({}, {})", function, text, parts[i]);
      return text;
    };
    switch (isl_ast_expr_get_op_type(expression)) {
    case isl_ast_expr_op_and:
    case isl_ast_expr_op_and_then:
      return infix("&&");
    case isl_ast_expr_op_or:
    case isl_ast_expr_op_or_else:
      return infix("||");
    case isl_ast_expr_op_max:
      return nested(table_.most);
    case isl_ast_expr_op_min:
      return nested(table_.least);
    case isl_ast_expr_op_minus:
      return "-" + parts[0];
    case isl_ast_expr_op_add:
      return infix("+");
    case isl_ast_expr_op_sub:
      return infix("-");
    case isl_ast_expr_op_mul:
      return infix("*");
    case isl_ast_expr_op_div:
    case isl_ast_expr_op_pdiv_q:
      return infix("/");
    case isl_ast_expr_op_pdiv_r:
    case isl_ast_expr_op_zdiv_r:
      return infix("%");
    case isl_ast_expr_op_fdiv_q:
      return nested(table_.floor);
    case isl_ast_expr_op_cond:
    case isl_ast_expr_op_select:
      return fmt::format("{} ? {} : {}", parts[0], parts[1], parts[2]);
    case isl_ast_expr_op_eq:
      return infix("==");
    case isl_ast_expr_op_le:
      return infix("<=");
    case isl_ast_expr_op_lt:
      return infix("<");
    case isl_ast_expr_op_ge:
      return infix(">=");
    case isl_ast_expr_op_gt:
      return infix(">");
    default:
      return "0"; // what a schedule's coordinates never need
    }
  }
};

// --- bands: loops of the schedule tree that may be exchanged freely ---

// The coefficient of a statement's loop in one function of a band, summed over its pieces.
struct Along {
  int loop;
  bool found = false;
};

isl_stat look_at_piece(isl_set *where, isl_aff *function, void *user) {
  auto &along = *static_cast<Along *>(user);
  if (along.loop < static_cast<int>(isl_aff_dim(function, isl_dim_in))) {
    isl_val *coefficient = isl_aff_get_coefficient_val(function, isl_dim_in, along.loop);
    along.found = along.found || !isl_val_is_zero(coefficient);
    isl_val_free(coefficient);
  }
  isl_set_free(where);
  isl_aff_free(function);
  return isl_stat_ok;
}

struct Votes {
  const Timetable *table;
  int contiguous = 0, against = 0; // statements whose contiguous loop the function follows; whose other loops alone
};

isl_stat vote(isl_pw_aff *function, void *user) {
  auto &votes = *static_cast<Votes *>(user);
  const std::string name = text_of(isl_pw_aff_get_tuple_id(function, isl_dim_in));
  const auto found = votes.table->contiguous.find(name);
  if (found != votes.table->contiguous.end()) {
    Along along{found->second};
    isl_pw_aff_foreach_piece(function, look_at_piece, &along);
    (along.found ? votes.contiguous : votes.against) += 1;
  }
  isl_pw_aff_free(function);
  return isl_stat_ok;
}

class Bands {
public:
  Bands(const Timetable &table, const TileSizes &tiles) : table_(table), tiles_(tiles) {}

  isl_schedule_node *shape(isl_schedule_node *node) const {
    if (isl_schedule_node_get_type(node) != isl_schedule_node_band) return node;
    const bool permutable = isl_schedule_node_band_get_permutable(node) == isl_bool_true;
    if (permutable && isl_schedule_node_band_n_member(node) > 1) node = contiguous_last(node);
    return permutable && is_outermost(node) ? tile(node) : node;
  }

private:
  const Timetable &table_;
  const TileSizes &tiles_;

  isl_schedule_node *contiguous_last(isl_schedule_node *node) const {
    const int members = isl_schedule_node_band_n_member(node);
    isl_multi_union_pw_aff *functions = isl_schedule_node_band_get_partial_schedule(node);
    int best = members - 1, most = -1;
    for (int i = members - 1; i >= 0; --i) {
      isl_union_pw_aff *function = isl_multi_union_pw_aff_get_union_pw_aff(functions, i);
      Votes votes{&table_};
      isl_union_pw_aff_foreach_pw_aff(function, vote, &votes);
      isl_union_pw_aff_free(function);
      if (votes.contiguous > most) best = i, most = votes.contiguous;
    }
    if (best == members - 1) {
      isl_multi_union_pw_aff_free(functions);
      return node;
    }
    isl_multi_union_pw_aff *order = isl_multi_union_pw_aff_copy(functions);
    for (int i = 0; i < members; ++i) {
      const int from = i == members - 1 ? best : i < best ? i : i + 1;
      order = isl_multi_union_pw_aff_set_union_pw_aff(order, i, isl_multi_union_pw_aff_get_union_pw_aff(functions, from));
    }
    isl_multi_union_pw_aff_free(functions);
    node = isl_schedule_node_delete(node);
    node = isl_schedule_node_insert_partial_schedule(node, order);
    return isl_schedule_node_band_set_permutable(node, 1);
  }

  static bool is_outermost(isl_schedule_node *node) {
    bool outermost = true;
    for (isl_schedule_node *at = isl_schedule_node_copy(node);;) {
      if (!isl_schedule_node_has_parent(at)) {
        isl_schedule_node_free(at);
        return outermost;
      }
      at = isl_schedule_node_parent(at);
      outermost =
          outermost && !(isl_schedule_node_get_type(at) == isl_schedule_node_band && isl_schedule_node_band_n_member(at) > 1);
    }
  }

  isl_schedule_node *tile(isl_schedule_node *node) const {
    int members = isl_schedule_node_band_n_member(node);
    if (members < (tiles_.last == 0 ? 3 : 2) || tiles_.first == 0) return node;
    if (tiles_.last == 0) { // the contiguous loop runs whole inside the tiles of the others
      node = isl_schedule_node_band_split(node, members - 1);
      --members;
    }
    isl_ctx *context = isl_schedule_node_get_ctx(node);
    isl_multi_val *sizes = isl_multi_val_zero(isl_schedule_node_band_get_space(node));
    for (int i = 0; i < members; ++i) {
      const bool last = tiles_.last != 0 && i == members - 1;
      const long size = i == 0 ? tiles_.first : last ? tiles_.last : tiles_.middle;
      sizes = isl_multi_val_set_val(sizes, i, isl_val_int_from_si(context, size));
    }
    return isl_schedule_node_band_tile(node, sizes);
  }
};

// --- innermost loops ---

bool holds_band(isl_schedule_node *node) { // below it
  for (int i = 0; i < isl_schedule_node_n_children(node); ++i) {
    isl_schedule_node *child = isl_schedule_node_get_child(node, i);
    const bool found = isl_schedule_node_get_type(child) == isl_schedule_node_band || holds_band(child);
    isl_schedule_node_free(child);
    if (found) return true;
  }
  return false;
}

// Orders between instances below a node, those of all loops around it in the same step.
isl_union_map *orders_inside(isl_schedule_node *node, isl_union_map *orders) {
  isl_union_set *instances = isl_schedule_node_get_domain(node);
  isl_union_map *inside = isl_union_map_intersect_domain(isl_union_map_copy(orders), isl_union_set_copy(instances));
  inside = isl_union_map_intersect_range(inside, instances);
  isl_multi_union_pw_aff *around = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(node);
  if (isl_multi_union_pw_aff_dim(around, isl_dim_set) > 0) return isl_union_map_eq_at_multi_union_pw_aff(inside, around);
  isl_multi_union_pw_aff_free(around);
  return inside;
}

// Whether no order holds between two steps of this band.
bool carries_nothing(isl_schedule_node *band, isl_union_map *orders) {
  isl_union_map *inside = orders_inside(band, orders);
  isl_union_map *same =
      isl_union_map_eq_at_multi_union_pw_aff(isl_union_map_copy(inside), isl_schedule_node_band_get_partial_schedule(band));
  const isl_bool nothing = isl_union_map_is_subset(inside, same);
  isl_union_map_free(inside);
  isl_union_map_free(same);
  return nothing == isl_bool_true;
}

// Whether a loop over several statements may become one loop for each, in their order: nothing may lead back from a later one.
bool may_be_split(isl_schedule_node *band, isl_union_map *orders) {
  isl_schedule_node *sequence = isl_schedule_node_get_child(band, 0);
  bool may = isl_schedule_node_get_type(sequence) == isl_schedule_node_sequence;
  isl_union_map *inside = may ? orders_inside(band, orders) : nullptr;
  isl_union_set *earlier = nullptr;
  for (int i = 0; may && i < isl_schedule_node_n_children(sequence); ++i) {
    isl_schedule_node *filter = isl_schedule_node_get_child(sequence, i);
    isl_union_set *here = isl_schedule_node_filter_get_filter(filter);
    isl_schedule_node_free(filter);
    if (earlier) {
      isl_union_map *back = isl_union_map_intersect_domain(isl_union_map_copy(inside), isl_union_set_copy(here));
      back = isl_union_map_intersect_range(back, isl_union_set_copy(earlier));
      may = isl_union_map_is_empty(back) == isl_bool_true;
      isl_union_map_free(back);
    }
    earlier = earlier ? isl_union_set_union(earlier, here) : here;
  }
  isl_union_set_free(earlier);
  isl_union_map_free(inside);
  isl_schedule_node_free(sequence);
  return may;
}

// The last loop of an innermost band is split between its statements where that is right: compilers turn loops over one
// statement into vector code, while values passed from one to the next within a loop stop them.
isl_schedule_node *split_innermost(isl_schedule_node *node, void *user) {
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band || holds_band(node)) return node;
  const int members = isl_schedule_node_band_n_member(node);
  if (members > 1) node = isl_schedule_node_child(isl_schedule_node_band_split(node, members - 1), 0);
  if (may_be_split(node, static_cast<isl_union_map *>(user))) node = isl_schedule_node_band_sink(node);
  return members > 1 ? isl_schedule_node_parent(node) : node;
}

// An innermost loop is separated, so that no test is left in it, and marked where it carries nothing.
isl_schedule_node *finish_innermost(isl_schedule_node *node, void *user) {
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band || holds_band(node)) return node;
  const int members = isl_schedule_node_band_n_member(node);
  if (members > 1) node = isl_schedule_node_child(isl_schedule_node_band_split(node, members - 1), 0);
  node = isl_schedule_node_band_member_set_ast_loop_type(node, 0, isl_ast_loop_separate);
  if (carries_nothing(node, static_cast<isl_union_map *>(user)))
    node = isl_schedule_node_insert_mark(node, isl_id_alloc(isl_schedule_node_get_ctx(node), independent_mark, nullptr));
  return members > 1 ? isl_schedule_node_parent(node) : node;
}

isl_schedule_node *shape_band(isl_schedule_node *node, void *user) { return static_cast<const Bands *>(user)->shape(node); }

void set_options(isl_ctx *context, Fusion fusion) {
  isl_options_set_on_error(context, ISL_ON_ERROR_CONTINUE);
  isl_ctx_set_max_operations(context, operations_allowed);
  isl_options_set_schedule_maximize_band_depth(context, 1);
  isl_options_set_schedule_serialize_sccs(context, fusion == Fusion::Least ? 1 : 0);
  isl_options_set_schedule_whole_component(context, fusion == Fusion::Most ? 1 : 0);
  isl_options_set_schedule_max_coefficient(context, largest_coefficient);
  isl_options_set_tile_scale_tile_loops(context, 1);
  isl_options_set_tile_shift_point_loops(context, 0);
  isl_options_set_ast_build_detect_min_max(context, 1);
  isl_options_set_ast_build_atomic_upper_bound(context, 1);
}

isl_schedule *find_schedule(isl_ctx *context, const Timetable &table, isl_union_map *orders) {
  isl_union_map *close =
      isl_union_map_union(isl_union_map_copy(orders), isl_union_map_read_from_str(context, table.reuse.c_str()));
  isl_schedule_constraints *constraints =
      isl_schedule_constraints_on_domain(isl_union_set_read_from_str(context, table.domain.c_str()));
  constraints = isl_schedule_constraints_set_context(constraints, isl_set_read_from_str(context, table.context.c_str()));
  constraints = isl_schedule_constraints_set_validity(constraints, isl_union_map_copy(orders));
  constraints = isl_schedule_constraints_set_proximity(constraints, close);
  return isl_schedule_constraints_compute_schedule(constraints);
}

isl_ast_node *write_loops(isl_ctx *context, const Timetable &table, isl_schedule *schedule) { // takes it
  isl_ast_build *build = isl_ast_build_from_context(isl_set_read_from_str(context, table.context.c_str()));
  isl_id_list *names = isl_id_list_alloc(context, static_cast<int>(table.iterators.size()));
  for (const std::string &name : table.iterators) names = isl_id_list_add(names, isl_id_alloc(context, name.c_str(), nullptr));
  build = isl_ast_build_set_iterators(build, names);
  isl_ast_node *tree = isl_ast_build_node_from_schedule(build, schedule);
  isl_ast_build_free(build);
  return tree;
}

Json written(const Scan &scan) {
  Json body = Json::array(), otherwise = Json::array();
  for (const Scan &inner : scan.body) body.push_back(written(inner));
  for (const Scan &inner : scan.otherwise) otherwise.push_back(written(inner));
  return {scan.kind,        scan.iterator,  scan.first,  scan.condition, scan.step,
          scan.independent, scan.statement, scan.values, body,           otherwise};
}

Scan read(const Json &json) {
  Scan scan{json.at(0), json.at(1), json.at(2), json.at(3), json.at(4), json.at(5), json.at(6), json.at(7), {}, {}};
  for (const Json &inner : json.at(8)) scan.body.push_back(read(inner));
  for (const Json &inner : json.at(9)) scan.otherwise.push_back(read(inner));
  return scan;
}

Result<Scan> schedule_here(const Timetable &table, Fusion fusion, const TileSizes &tiles) {
  const std::unique_ptr<isl_ctx, FreeContext> context(isl_ctx_alloc());
  set_options(context.get(), fusion);
  const Orders orders(isl_union_map_read_from_str(context.get(), table.orders.c_str()));
  isl_schedule *found = find_schedule(context.get(), table, orders.get());
  Bands bands(table, tiles);
  found = isl_schedule_map_schedule_node_bottom_up(found, shape_band, &bands);
  found = isl_schedule_map_schedule_node_bottom_up(found, split_innermost, orders.get());
  found = isl_schedule_map_schedule_node_bottom_up(found, finish_innermost, orders.get());
  isl_ast_node *tree = found ? write_loops(context.get(), table, found) : nullptr;
  if (tree) return Reader(table).read(tree);
  const char *message = isl_ctx_last_error_msg(context.get());
  return fail(std::string("isl finds no schedule: ") + (message ? message : "too many operations"), table.domain);
}

} // namespace

Result<Scan> schedule(const Timetable &table, Fusion fusion, const TileSizes &tiles) {
  const auto in_child = [&] {
    const auto scan = schedule_here(table, fusion, tiles);
    return (scan ? Json{{"scan", written(*scan)}} : Json{{"error", scan.error().what}}).dump();
  };
  KOPT_TRY(text, bounded(in_child, seconds_allowed));
  KOPT_TRY(answer, parse_json(text, "isl's schedule"));
  if (answer.contains("error")) return fail(answer["error"].get<std::string>(), table.domain);
  return read(answer.at("scan"));
}

} // namespace kopt
