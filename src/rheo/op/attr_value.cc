#include "rheo/op/attr_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

namespace rheo::op {
namespace {

template <typename T>
constexpr std::string_view KindName() {
  if constexpr (std::is_same_v<T, std::string>) return "string";
  if constexpr (std::is_same_v<T, int64_t>) return "int";
  if constexpr (std::is_same_v<T, float>) return "float";
  if constexpr (std::is_same_v<T, bool>) return "bool";
  if constexpr (std::is_same_v<T, DType>) return "type";
  if constexpr (std::is_same_v<T, PartialShape>) return "shape";
  if constexpr (std::is_same_v<T, Tensor>) return "tensor";
  if constexpr (std::is_same_v<T, FuncRef>) return "func";
  return "list";
}

template <typename T>
AttrValue ListOf(std::vector<T> AttrList::*member, std::vector<T> values) {
  AttrList list;
  list.*member = std::move(values);
  return AttrValue(std::move(list));
}

template <typename T>
std::vector<T> AttrList::*MemberFor() {
  if constexpr (std::is_same_v<T, std::string>) return &AttrList::strings;
  if constexpr (std::is_same_v<T, int64_t>) return &AttrList::ints;
  if constexpr (std::is_same_v<T, float>) return &AttrList::floats;
  if constexpr (std::is_same_v<T, bool>) return &AttrList::bools;
  if constexpr (std::is_same_v<T, DType>) return &AttrList::types;
  if constexpr (std::is_same_v<T, PartialShape>) return &AttrList::shapes;
  if constexpr (std::is_same_v<T, Tensor>) return &AttrList::tensors;
  if constexpr (std::is_same_v<T, FuncRef>) return &AttrList::funcs;
}

std::string Text(const std::string& v) { return '"' + v + '"'; }
std::string Text(int64_t v) { return fmt::to_string(v); }
std::string Text(float v) { return fmt::to_string(v); }
std::string Text(bool v) { return v ? "true" : "false"; }
std::string Text(DType v) { return DTypeName(v); }
std::string Text(const PartialShape& v) { return v.ToString(); }
std::string Text(const Tensor& v) { return v.ToString(4); }
std::string Text(const FuncRef& v) {
  std::string text = v.name + '[';
  bool first = true;
  for (const auto& [name, value] : v.attrs) {
    if (!first) text += ',';
    first = false;
    text += name + '=' + value.ToString();
  }
  return text + ']';
}

template <typename T>
void AppendAll(const std::vector<T>& values, std::string& text) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (text.size() > 1) text += ',';
    if (i == 16) {
      text += "…";
      return;
    }
    if constexpr (std::is_same_v<T, bool>) {
      text += Text(static_cast<bool>(values[i]));
    } else {
      text += Text(values[i]);
    }
  }
}

}  // namespace

AttrValue::AttrValue(FuncRef v) : value_(std::make_shared<const FuncRef>(std::move(v))) {}
AttrValue::AttrValue(AttrList v) : value_(std::make_shared<const AttrList>(std::move(v))) {}
AttrValue::AttrValue(std::vector<std::string> v)
    : AttrValue(ListOf(&AttrList::strings, std::move(v))) {}
AttrValue::AttrValue(std::vector<int64_t> v) : AttrValue(ListOf(&AttrList::ints, std::move(v))) {}
AttrValue::AttrValue(std::vector<float> v) : AttrValue(ListOf(&AttrList::floats, std::move(v))) {}
AttrValue::AttrValue(std::vector<bool> v) : AttrValue(ListOf(&AttrList::bools, std::move(v))) {}
AttrValue::AttrValue(std::vector<DType> v) : AttrValue(ListOf(&AttrList::types, std::move(v))) {}
AttrValue::AttrValue(std::vector<PartialShape> v)
    : AttrValue(ListOf(&AttrList::shapes, std::move(v))) {}
AttrValue::AttrValue(std::vector<Tensor> v) : AttrValue(ListOf(&AttrList::tensors, std::move(v))) {}
AttrValue::AttrValue(std::vector<FuncRef> v) : AttrValue(ListOf(&AttrList::funcs, std::move(v))) {}

std::string AttrValue::ToString() const {
  if (const FuncRef* f = func()) return Text(*f);
  if (const AttrList* l = list()) {
    std::string text = "[";
    AppendAll(l->strings, text);
    AppendAll(l->ints, text);
    AppendAll(l->floats, text);
    AppendAll(l->bools, text);
    AppendAll(l->types, text);
    AppendAll(l->shapes, text);
    AppendAll(l->tensors, text);
    AppendAll(l->funcs, text);
    return text + ']';
  }
  if (const auto* p = As<Placeholder>()) return '$' + p->name;
  return std::visit(
      [](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::monostate> || std::is_same_v<T, Placeholder> ||
                      std::is_same_v<T, std::shared_ptr<const FuncRef>> ||
                      std::is_same_v<T, std::shared_ptr<const AttrList>>) {
          return "unset";
        } else {
          return Text(v);
        }
      },
      value_);
}

bool operator==(const AttrValue& a, const AttrValue& b) {
  if (a.storage().index() != b.storage().index()) return false;
  if (a.func() != nullptr) return a.func() == b.func() || *a.func() == *b.func();
  if (a.list() != nullptr) return a.list() == b.list() || *a.list() == *b.list();
  return std::visit(
      [&b](const auto& v) { return v == *std::get_if<std::decay_t<decltype(v)>>(&b.storage()); },
      a.storage());
}

const AttrValue* AttrMap::Find(std::string_view name) const {
  const auto it = std::lower_bound(entries_.begin(), entries_.end(), name,
                                   [](const Entry& e, std::string_view n) { return e.first < n; });
  return it != entries_.end() && it->first == name ? &it->second : nullptr;
}

void AttrMap::Set(std::string_view name, AttrValue value) {
  const auto it = std::lower_bound(entries_.begin(), entries_.end(), name,
                                   [](const Entry& e, std::string_view n) { return e.first < n; });
  if (it != entries_.end() && it->first == name) {
    it->second = std::move(value);
  } else {
    entries_.emplace(it, std::string(name), std::move(value));
  }
}

void AttrMap::Erase(std::string_view name) {
  std::erase_if(entries_, [&](const Entry& e) { return e.first == name; });
}

namespace {

template <typename T>
struct VectorElement;
template <typename T>
struct VectorElement<std::vector<T>> {
  using type = T;
};

template <typename T>
StatusOr<T> Convert(std::string_view name, const AttrValue& value) {
  if constexpr (std::is_same_v<T, FuncRef>) {
    if (value.func() != nullptr) return *value.func();
  } else if constexpr (requires { typename VectorElement<T>::type; }) {
    using E = typename VectorElement<T>::type;
    if (const AttrList* list = value.list()) {
      const std::vector<E>& values = list->*MemberFor<E>();
      if (values.size() == list->size()) return values;
    }
    return InvalidArgument("attr '{}' is {}, not a list({})", name, value.ToString(),
                           KindName<E>());
  } else {
    if (const T* v = value.As<T>()) return *v;
  }
  return InvalidArgument("attr '{}' is {}, not of kind {}", name, value.ToString(), KindName<T>());
}

}  // namespace

template <typename T>
StatusOr<T> AttrMap::Get(std::string_view name) const {
  const AttrValue* value = Find(name);
  if (value == nullptr) return NotFound("attr '{}' is missing", name);
  return Convert<T>(name, *value);
}

#define RHEO_INSTANTIATE_GET(T)                                 \
  template StatusOr<T> AttrMap::Get<T>(std::string_view) const; \
  template StatusOr<std::vector<T>> AttrMap::Get<std::vector<T>>(std::string_view) const;
RHEO_INSTANTIATE_GET(std::string)
RHEO_INSTANTIATE_GET(int64_t)
RHEO_INSTANTIATE_GET(float)
RHEO_INSTANTIATE_GET(bool)
RHEO_INSTANTIATE_GET(DType)
RHEO_INSTANTIATE_GET(PartialShape)
RHEO_INSTANTIATE_GET(Tensor)
RHEO_INSTANTIATE_GET(FuncRef)
#undef RHEO_INSTANTIATE_GET

}  // namespace rheo::op
