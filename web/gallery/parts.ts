import type { ComponentType } from "react";
import { ButtonsPart } from "./ButtonsPart.tsx";
import { ChoicesPart } from "./ChoicesPart.tsx";
import { CopyPart } from "./CopyPart.tsx";
import { DatesPart } from "./DatesPart.tsx";
import { EditorPart } from "./EditorPart.tsx";
import { FeedbackPart } from "./FeedbackPart.tsx";
import { FormPart } from "./FormPart.tsx";
import { InputsPart } from "./InputsPart.tsx";
import { LayoutPart } from "./LayoutPart.tsx";
import { ListToolsPart } from "./ListToolsPart.tsx";
import { MarkdownPart } from "./MarkdownPart.tsx";
import { OverlaysPart } from "./OverlaysPart.tsx";
import { TableStates, WorkingTable } from "./TableStates.tsx";
import { TokensPart } from "./TokensPart.tsx";

/** The parts of the gallery; `name` is what the address calls the part. */
export const parts: readonly {
  readonly name: string;
  readonly title: string;
  readonly Part: ComponentType;
}[] = [
  { name: "tokens", title: "Tokens", Part: TokensPart },
  { name: "buttons", title: "Buttons and links", Part: ButtonsPart },
  { name: "inputs", title: "Inputs", Part: InputsPart },
  { name: "choices", title: "Choices", Part: ChoicesPart },
  { name: "dates", title: "Dates", Part: DatesPart },
  { name: "form", title: "Forms", Part: FormPart },
  { name: "editor", title: "Editors", Part: EditorPart },
  { name: "list", title: "List", Part: WorkingTable },
  { name: "list-tools", title: "List tools", Part: ListToolsPart },
  { name: "list-states", title: "List states", Part: TableStates },
  { name: "overlays", title: "Overlays", Part: OverlaysPart },
  { name: "feedback", title: "Feedback", Part: FeedbackPart },
  { name: "layout", title: "Layout", Part: LayoutPart },
  { name: "copy", title: "Copy, code, QR", Part: CopyPart },
  { name: "markdown", title: "Markdown", Part: MarkdownPart },
];
