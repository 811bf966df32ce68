import { expect, test } from "bun:test";
import { plainText } from "./plain-text.ts";

const read = (source: string): string => plainText(source, 1_000);

test("HTML becomes its words, one line a block, without scripts and styles", () => {
  const page = `<style>p { color: red }</style>
    <h1 class="big">Down &amp; out</h1><p>Back&nbsp;at <b>8</b>&#58;00<br/>sharp</p>
    <script>alert("no")</script><ul><li>one</li><li>two &lt;3</li></ul><!-- nobody -->`;
  expect(read(page)).toBe("Down & out\n\nBack at 8:00\nsharp\n\none\n\ntwo <3");
});

test("Markdown stays unchanged", () => {
  expect(read("# Down\n\n- from 8 < 9\n- `a<b` & c")).toBe("# Down\n\n- from 8 < 9\n- `a<b` & c");
});

test("an unknown entity stays as text, and one of a control character is left out", () => {
  expect(read("a &unknown; &x; b&#0;c&#xd800;d&#1114112;e")).toBe("a &unknown; &x; bcde");
});

test("a long text is cut at the limit, between whole characters, and ends in an ellipsis", () => {
  expect(plainText("一二三四五", 5)).toBe("一二三四五");
  expect(plainText("一二三四五六", 5)).toBe("一二三四…");
  expect(plainText("😀😀😀", 2)).toBe("😀…");
});

test("an unclosed tag or entity does not make the text be read twice", () => {
  expect(read("<".repeat(100_000))).toHaveLength(1_000);
  expect(read(`a${"<script>".repeat(12_000)}`)).toBe("a");
  expect(read(`a${"<p ".repeat(30_000)}`)).toHaveLength(1_000);
});
