#include "store/store.h"

#include "store_fixture.h"

#include <gmock/gmock.h>

namespace kopt {
namespace {

using testing::HasSubstr;

class StoreTest : public testing::Test {
protected:
  MemoryDisk disk;
  Spec spec = fixture::heat_spec("/src/app");
  fs::path record = fixture::lay_out(disk, spec);
  fs::path folder = record.parent_path();
};

TEST_F(StoreTest, AnEntryIsThreeFilesAndReadsBack) {
  EXPECT_EQ(record, spec.variants_dir / "heat/heat.diffuse" / host_arch() / "record.json");
  const auto entry = load(disk, record);
  ASSERT_TRUE(entry) << entry.error().message();
  EXPECT_EQ(entry->variant, fixture::variant_cpp);
  EXPECT_EQ(entry->plan, fixture::plan_txt);
  EXPECT_EQ(entry->record.status, "provisional");
  EXPECT_EQ(entry->as_variant().hash(), fixture::diffuse_variant().hash());
}

TEST_F(StoreTest, PathsAreRelativeToTheCallsFolderWhereBelowTheSourceRoot) {
  EXPECT_EQ(recorded_path("/src/app/a.cpp", "/src/app", "/src"), "a.cpp");
  EXPECT_EQ(recorded_path("/src/include/a.h", "/src/app", "/src"), "../include/a.h");
  EXPECT_EQ(recorded_path("/opt/lib/a.h", "/src/app", "/src"), "/opt/lib/a.h");
  for (const char *file : {"/src/app/a.cpp", "/src/include/a.h", "/opt/lib/a.h"})
    EXPECT_EQ(absolute_path(recorded_path(file, "/src/app", "/src"), "/src/app"), fs::path(file));
  EXPECT_EQ(load(disk, record)->record.source, "kernels.cpp");
  EXPECT_EQ(load(disk, record)->record.pieces.front().file, "grid.h");
}

TEST_F(StoreTest, AReplacedVariantBecomesAParent) {
  Variant other = fixture::diffuse_variant();
  other.text += "// other\n";
  const auto model = fixture::diffuse_model("/src/app");
  ASSERT_TRUE(accept(disk, spec, model, other, fixture::faster(5), {}));
  EXPECT_EQ(load(disk, record)->record.parents, std::vector<std::string>{hash_of(fixture::variant_cpp)});
  EXPECT_EQ(load(disk, record)->variant, other.text);
}

TEST_F(StoreTest, AMissingRecordSaysSo) {
  disk.files.erase(record);
  EXPECT_THAT(load(disk, record).error().message(), HasSubstr("record.json: is missing from the variant store"));
  EXPECT_FALSE(find_entry(disk, spec, "heat.diffuse", host_arch())->has_value());
}

TEST_F(StoreTest, BrokenJsonNamesFileAndLine) {
  disk.files[record] = "{\n  \"format\": \"kopt-record\",\n";
  const auto message = load(disk, record).error().message();
  EXPECT_THAT(message, HasSubstr(record.string()));
  EXPECT_THAT(message, HasSubstr("line 3"));
}

TEST_F(StoreTest, ANewerVersionNamesBoth) {
  disk.files[record] = fixture::replaced(disk.files[record], "\"version\": 1", "\"version\": 7");
  EXPECT_THAT(load(disk, record).error().message(), testing::AllOf(HasSubstr("version 7"), HasSubstr("version 1")));
}

TEST_F(StoreTest, AMissingKeyIsNamed) {
  disk.files[record] = fixture::replaced(disk.files[record], "\"anchor\"", "\"anker\"");
  EXPECT_THAT(load(disk, record).error().message(), HasSubstr("anchor"));
}

TEST_F(StoreTest, AMissingVariantAndAChangedPlanAreTold) {
  disk.files[folder / "plan.txt"] += "# edited\n";
  EXPECT_THAT(load(disk, record).error().message(), HasSubstr("plan.txt: was changed after it was accepted"));
  disk.files.erase(folder / "variant.cpp");
  EXPECT_THAT(load(disk, record).error().message(), HasSubstr("variant.cpp: is missing from the variant store"));
}

TEST_F(StoreTest, AReadOnlyStoreIsOneMessageWithARemedy) {
  ASSERT_TRUE(check_writable(disk, spec));
  disk.refuse_writes = true;
  const auto writable = check_writable(disk, spec);
  ASSERT_FALSE(writable);
  EXPECT_THAT(writable.error().what, HasSubstr("Read-only file system"));
  EXPECT_EQ(writable.error().where, "/src/app/kopt/heat");
  EXPECT_THAT(writable.error().remedy, HasSubstr("VARIANTS_DIR"));
  EXPECT_FALSE(accept(disk, spec, fixture::diffuse_model("/src/app"), fixture::diffuse_variant(), fixture::faster(5), {}));
}

TEST_F(StoreTest, CheckingLeavesNothingBehind) {
  MemoryDisk fresh;
  fresh.files["/src/app/kernels.cpp"] = "";
  ASSERT_TRUE(check_writable(fresh, spec));
  EXPECT_EQ(fresh.files.size(), 1U);
}

TEST_F(StoreTest, ARemovedEntryIsGone) {
  ASSERT_TRUE(remove(disk, record));
  EXPECT_TRUE(disk.files_below(spec.variants_dir).empty());
}

TEST_F(StoreTest, ARejectedEntryIsOutOfTheBuildAndKeptAsEvidence) {
  ASSERT_TRUE(reject(disk, *load(disk, record), "slower in the application"));
  EXPECT_FALSE(disk.exists(record));
  const auto kept = read_record(disk, folder / rejected_name);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->status, "rejected");
  EXPECT_EQ(kept->verdict.reason, "slower in the application");
  EXPECT_TRUE(disk.exists(folder / "variant.cpp"));
  fixture::lay_out(disk, spec);
  EXPECT_FALSE(disk.exists(folder / rejected_name)) << "a later acceptance replaces the evidence";
}

TEST_F(StoreTest, AcceptingTheSameAgainChangesNothing) {
  auto entry = load(disk, record).value();
  entry.record.status = "validated";
  entry.record.validation = Validation{};
  ASSERT_TRUE(update(disk, entry));
  const auto before = disk.files;
  fixture::lay_out(disk, spec); // the same verdict, as after a kill between acceptance and the end of the command
  EXPECT_EQ(disk.files, before);
  const auto model = fixture::diffuse_model("/src/app");
  ASSERT_TRUE(accept(disk, spec, model, fixture::diffuse_variant(), fixture::faster(5), {})); // judged anew
  EXPECT_EQ(load(disk, record)->record.status, "validated");
  EXPECT_TRUE(load(disk, record)->record.parents.empty()) << "a variant is not its own parent";
}

TEST_F(StoreTest, AUsersOwnFileInAnEntryStays) {
  disk.files[folder / "notes.md"] = "keep";
  ASSERT_TRUE(accept(disk, spec, fixture::diffuse_model("/src/app"), fixture::diffuse_variant(), fixture::faster(5), {}));
  EXPECT_EQ(disk.files.at(folder / "notes.md"), "keep");
}

TEST_F(StoreTest, AFullDiskLeavesTheEntryAsItWas) {
  Variant other = fixture::diffuse_variant();
  other.text += "// other\n";
  const auto before = disk.files;
  for (std::size_t space : {0UL, 10UL, 900UL, 2000UL}) {
    disk.space = space;
    const auto accepted = accept(disk, spec, fixture::diffuse_model("/src/app"), other, fixture::faster(5), {});
    ASSERT_FALSE(accepted) << space;
    EXPECT_THAT(accepted.error().message(), HasSubstr("free some space"));
    EXPECT_EQ(disk.files, before);
  }
}

TEST_F(StoreTest, WhatTheApplicationRefutedIsRememberedWhileTheClosureIsTheSame) {
  auto model = fixture::diffuse_model("/src/app");
  EXPECT_TRUE(refutations(disk, spec, model).empty());
  ASSERT_TRUE(reject(disk, *load(disk, record), "changes the application's output"));
  ASSERT_EQ(refutations(disk, spec, model).size(), 1U);
  EXPECT_EQ(refutations(disk, spec, model)[0].variant_hash, hash_of(fixture::variant_cpp));
  EXPECT_EQ(refutations(disk, spec, model)[0].reason, "changes the application's output");
  // Another one is accepted, and rejected too: both are remembered.
  Variant other = fixture::diffuse_variant();
  other.text += "// other\n";
  ASSERT_TRUE(accept(disk, spec, model, other, fixture::faster(5), {}));
  EXPECT_EQ(refutations(disk, spec, model).size(), 1U);
  ASSERT_TRUE(reject(disk, *load(disk, record), "slower"));
  EXPECT_EQ(refutations(disk, spec, model).size(), 2U);
  model.closure.pieces.back().hash = "edited";
  EXPECT_TRUE(refutations(disk, spec, model).empty());
}

TEST_F(StoreTest, RejectedByAVersionThatKeptNoList) {
  ASSERT_TRUE(reject(disk, *load(disk, record), "slower"));
  auto old = parse_json(disk.files[folder / rejected_name], "").value();
  old.erase("refuted");
  disk.files[folder / rejected_name] = old.dump();
  EXPECT_EQ(refutations(disk, spec, fixture::diffuse_model("/src/app")).size(), 1U);
}

TEST_F(StoreTest, WhatAKilledCommandLeftIsCompleted) {
  const auto entry = load(disk, record).value();
  const std::string accepted = disk.files[record];
  ASSERT_TRUE(reject(disk, entry, "slower"));
  disk.files[record] = accepted; // killed between the two steps of the rejection
  const fs::path aside = spec.variants_dir / "heat" / ".heat.diffuse.x86_64.new";
  disk.files[aside / "variant.cpp"] = "half";
  disk.files[folder / "record.json.Ab3xYz"] = "half";
  ASSERT_TRUE(repair(disk, spec));
  EXPECT_FALSE(disk.exists(record));
  EXPECT_TRUE(disk.exists(folder / rejected_name));
  EXPECT_FALSE(disk.exists(aside));
  EXPECT_FALSE(disk.exists(folder / "record.json.Ab3xYz"));
}

} // namespace
} // namespace kopt
