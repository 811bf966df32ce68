import { useLocation } from "@tanstack/react-router";
import { LinkButton } from "#ui/controls/LinkButton.tsx";

/**
 * Links to the sections of a long page: beside the sections on wide screens, otherwise in a line
 * above them that stays in view. `name` is the DOM id of a section.
 */
export function SectionLinks(props: {
  readonly "aria-label": string;
  readonly sections: readonly { readonly name: string; readonly title: string }[];
}) {
  const hash = useLocation({ select: (location) => location.hash });
  return (
    <nav
      aria-label={props["aria-label"]}
      className="flex [scrollbar-width:none] gap-0.5 max-xl:sticky max-xl:top-0 max-xl:z-4 max-xl:w-full max-xl:overflow-x-auto max-xl:border-b max-xl:border-line max-xl:bg-page max-xl:py-1 xl:sticky xl:top-4 xl:w-44 xl:shrink-0 xl:flex-col xl:items-start xl:gap-1.5"
    >
      {props.sections.map(({ name, title }) => (
        <LinkButton
          key={name}
          href={`#${name}`}
          size="sm"
          variant="ghost"
          {...(hash === name ? { "aria-current": "location" as const } : {})}
        >
          <span className="max-xl:whitespace-nowrap xl:w-40 xl:text-left xl:leading-4 xl:whitespace-normal">
            {title}
          </span>
        </LinkButton>
      ))}
    </nav>
  );
}
