import { expect, test } from "bun:test";
import { screen, waitFor } from "#testing/dom.ts";
import { makeThings, pageOf, type Thing, thingColumns, thingSearch } from "#testing/list.tsx";
import { renderAt } from "#testing/render.tsx";
import { ListSection } from "./ListSection.tsx";
import { useListSearch } from "./list-search.ts";

const things = makeThings(50);

function ThingSection() {
  const [search, onSearch] = useListSearch(thingSearch);
  return (
    <ListSection<Thing>
      id="things"
      title="Things"
      description="All of them"
      search={search}
      onSearch={onSearch}
      query={pageOf(things, search)}
      fetchPage={async () => ({ items: things, total: things.length })}
      columns={thingColumns}
      rowId={(row) => row.name}
      empty={{
        title: "No things yet",
        description: "Things stand here.",
        action: <button>Add</button>,
      }}
    />
  );
}

test("a link to a page of a section that no longer exists shows its last page", async () => {
  const { address } = await renderAt("/?page=8&size=10", () => <ThingSection />);
  await waitFor(() => expect(address()).toBe("/?page=5&size=10"));
  expect(screen.queryAllByText(/^thing \d+$/)[0]?.textContent).toBe("thing 41");
});
