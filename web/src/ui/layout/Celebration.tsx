import { useEffect, useRef } from "react";
import { type Tone, toneSolid } from "#ui/tone.ts";

const tones: readonly Tone[] = ["accent", "danger", "warning", "success", "info"];

const pieceCount = 60;

/**
 * Confetti over the page for `durationMs`. It lets clicks through and is hidden from screen
 * readers.
 */
export function Celebration({ durationMs }: { readonly durationMs: number }) {
  const sky = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const piece of sky.current?.children ?? []) {
      const turn = Math.random() * 720 - 360;
      piece.animate(
        [
          { transform: "translateY(-5vh)", opacity: 1 },
          { transform: `translateY(105vh) rotate(${turn}deg)`, opacity: 0.6 },
        ],
        { duration: durationMs * (0.6 + Math.random() * 0.4), fill: "forwards", easing: "ease-in" },
      );
    }
  }, [durationMs]);
  return (
    <div ref={sky} aria-hidden className="pointer-events-none fixed inset-0 z-50 overflow-hidden">
      {Array.from({ length: pieceCount }, (_, index) => (
        <span
          // Pieces never change their order.
          // oxlint-disable-next-line react/no-array-index-key
          key={index}
          className={`absolute -top-4 h-3 w-2 rounded-inner ${toneSolid[tones[index % tones.length] ?? "accent"]}`}
          style={{ left: `${(index * 100) / pieceCount}%` }}
        />
      ))}
    </div>
  );
}
