import { screen } from "#testing/dom.ts";
import { expect, test } from "bun:test";
import { showTime } from "#display/time.ts";
import { renderAt } from "#testing/render.tsx";
import { stateColumn, timeColumn } from "./common-columns.tsx";
import { userColumn } from "./user-column.tsx";

const row = { id: 7, username: "ada", created_at: 1_767_225_600 };

test("a row's user leads to the list of users, and a file has id and name", async () => {
  const column = userColumn<typeof row>("User", ({ id }) => id);
  await renderAt("/", () => <>{column.cell(row)}</>);

  expect(screen.getByRole("link").getAttribute("href")).toContain("/user?keyword=ada");
  expect(screen.getByRole("link").textContent).toBe("ada #7");
  expect(column.csv?.(row)).toBe("7 ada");
});

test("a row's time is told in short on the screen and exactly in a file; none is no date", async () => {
  const facts = { id: "created_at", title: "Created", rank: 2 } as const;
  const column = timeColumn<typeof row>(facts, ({ created_at }) => created_at);
  const { container } = await renderAt("/", () => <>{column.cell(row)}</>);

  expect(container.querySelector("time")?.dateTime).toBe("2026-01-01T00:00:00.000Z");
  expect(column.csv?.(row)).toBe(showTime(row.created_at, ""));
  expect(column.csv?.({ ...row, created_at: 0 })).toBe("");
});

test("a row's state is one word, the same on the screen and in a file", async () => {
  const column = stateColumn<typeof row>("State", () => ({ text: "Paid", tone: "success" }));
  await renderAt("/", () => <>{column.cell(row)}</>);

  expect(screen.getByText("Paid")).toBeDefined();
  expect(column.csv?.(row)).toBe("Paid");
});
