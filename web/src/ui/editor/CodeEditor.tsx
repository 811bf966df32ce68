/**
 * The code editor: CodeMirror with what editing JSON needs. A module of its own, so that
 * `JsonEditor` can load it lazily.
 */

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, indentOnInput, syntaxTree } from "@codemirror/language";
import { lintGutter, linter } from "@codemirror/lint";
import { Compartment, EditorState, RangeSetBuilder } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import { useEffect, useEffectEvent, useRef } from "react";
import "./code.css";
import { findJsonFault, type JsonFault } from "./json-fault.ts";

export function CodeEditor(props: {
  value: string;
  onChange: (value: string) => void;
  label: string;
  id: string | undefined;
  describedBy: string | undefined;
  height: number;
  invalid: boolean;
  disabled: boolean;
  faultText: (fault: JsonFault) => string;
}) {
  const { value, height, invalid, disabled } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const tellChange = useEffectEvent((text: string) => props.onChange(text));
  const tellFault = useEffectEvent((fault: JsonFault) => props.faultText(fault));
  const readValue = useEffectEvent(() => value);

  useEffect(() => {
    if (host.current === null) return undefined;
    const made = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: readValue(),
        extensions: [
          ...extensions,
          linter((editor) => lint(editor, (fault) => tellFault(fault)), { delay: 250 }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) tellChange(update.state.doc.toString());
          }),
          attributes.of([]),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, []);

  // A new value from the caller replaces the text in one step, so that the user can undo it.
  useEffect(() => {
    const doc = view.current?.state.doc;
    if (doc === undefined || doc.toString() === value) return;
    view.current?.dispatch({ changes: { from: 0, to: doc.length, insert: value } });
  }, [value]);

  const { label, id, describedBy } = props;
  useEffect(() => {
    view.current?.dispatch({
      effects: attributes.reconfigure([
        EditorView.editable.of(!disabled),
        EditorState.readOnly.of(disabled),
        EditorView.contentAttributes.of({
          "aria-label": label,
          ...(id === undefined ? {} : { id }),
          ...(describedBy === undefined ? {} : { "aria-describedby": describedBy }),
          ...(invalid ? { "aria-invalid": "true" } : {}),
          ...(disabled ? { "aria-disabled": "true" } : {}),
        }),
      ]),
    });
  }, [label, id, describedBy, invalid, disabled]);

  return (
    <div
      ref={host}
      data-invalid={invalid || undefined}
      data-disabled={disabled || undefined}
      style={{ height }}
      className="code"
    />
  );
}

const attributes = new Compartment();

const extensions = [
  lineNumbers(),
  lintGutter(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  highlightActiveLine(),
  json(),
  colours(),
  EditorView.lineWrapping,
  // Tab keeps moving the focus as in any field (Mod-] indents), and Mod-Enter is left to the form,
  // which it submits.
  keymap.of([...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"), ...historyKeymap]),
];

function lint(view: EditorView, faultText: (fault: JsonFault) => string) {
  const text = view.state.doc.toString();
  const fault = text.trim() === "" ? null : findJsonFault(text);
  if (fault === null) return [];
  const from = Math.min(
    fault.offset,
    Math.max(view.state.doc.lineAt(fault.offset).from, text.length - 1),
  );
  return [
    {
      from,
      to: Math.min(from + 1, text.length),
      severity: fault.kind === "duplicate" ? ("warning" as const) : ("error" as const),
      message: faultText(fault),
    },
  ];
}

const marks: Readonly<Record<string, Decoration>> = {
  PropertyName: Decoration.mark({ class: "code-key" }),
  String: Decoration.mark({ class: "code-string" }),
  Number: Decoration.mark({ class: "code-number" }),
  True: Decoration.mark({ class: "code-word" }),
  False: Decoration.mark({ class: "code-word" }),
  Null: Decoration.mark({ class: "code-word" }),
};

/**
 * Makes the editor's extension that gives the syntax CSS classes, so that its colours come from the
 * kit's tokens in both themes.
 */
function colours() {
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = mark(view);
      }
      update(update: ViewUpdate) {
        const isParsed = syntaxTree(update.startState) !== syntaxTree(update.state);
        if (update.docChanged || update.viewportChanged || isParsed) {
          this.decorations = mark(update.view);
        }
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
}

function mark(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      from,
      to,
      enter: (node) => {
        const decoration = marks[node.name];
        if (decoration !== undefined) builder.add(node.from, node.to, decoration);
      },
    });
  }
  return builder.finish();
}
