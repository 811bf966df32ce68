import { Badge } from "#ui/feedback/Badge.tsx";

/** Two letters that stand for a provider. */
export function TypeMark({ label }: { label: string }) {
  return (
    <span aria-hidden className="inline-flex shrink-0 font-mono">
      <Badge>{lettersOf(label)}</Badge>
    </span>
  );
}

/** The capitals of a name that has two, else its first letters. */
function lettersOf(label: string): string {
  const capitals = label.replaceAll(/[^A-Z]/g, "");
  const letters = capitals.length >= 2 ? capitals : label.replaceAll(/[^\p{L}\p{N}]/gu, "");
  return letters.slice(0, 2);
}
