/**
 * Shows an OpenAPI document with Swagger UI. Loaded only with a document that is shown. It sends no
 * calls: a click beside a description must not change anything.
 */

import { useEffect, useRef } from "react";
import openSwaggerUi from "swagger-ui-dist/swagger-ui-es-bundle.js";
import "swagger-ui-dist/swagger-ui.css";
import "./api-viewer.css";

type Plugin = Parameters<typeof openSwaggerUi>[0]["plugins"][number];

export function ApiViewer(props: { readonly document: object }) {
  const place = useRef<HTMLDivElement | null>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const observer = new MutationObserver(() => fitIntoPage(element));
    observer.observe(element, { childList: true, subtree: true });
    openSwaggerUi({
      domNode: element,
      spec: props.document,
      deepLinking: false,
      docExpansion: "none",
      defaultModelsExpandDepth: -1,
      filter: true,
      supportedSubmitMethods: [],
      plugins: [withoutMain],
      // Its colours are too pale to read.
      syntaxHighlight: { activated: false },
      validatorUrl: null,
    });
    return () => observer.disconnect();
  }, [props.document]);
  useEffect(followTheme, []);
  // The document and its viewer are in English whatever the console's language is.
  return <div ref={place} lang="en" className="api-viewer" />;
}

/**
 * Swagger UI takes itself for a whole page. Screen readers are told that it is a part of one, and
 * what scrolls can be reached by keyboard.
 */
function fitIntoPage(element: HTMLElement): void {
  const set = (selector: string, name: string, value: string): void => {
    for (const part of element.querySelectorAll(`${selector}:not([${name}])`)) {
      part.setAttribute(name, value);
    }
  };
  set("h3", "aria-level", "2");
  set("h4", "aria-level", "3");
  set("h5", "aria-level", "4");
  set("pre", "tabindex", "0");
}

/** Makes Swagger UI render a `div` instead of a `main`, because a page may have only one `main`. */
function withoutMain({ React }: Parameters<Plugin>[0]): object {
  const create = React.createElement;
  React.createElement = (type, ...rest) => create(type === "main" ? "div" : type, ...rest);
  return {};
}

/** Gives Swagger UI the console's theme: it reads a class of its own at the root. */
function followTheme(): () => void {
  const { classList } = document.documentElement;
  const follow = (): void => {
    if (classList.contains("dark") !== classList.contains("dark-mode")) {
      classList.toggle("dark-mode", classList.contains("dark"));
    }
  };
  follow();
  const observer = new MutationObserver(follow);
  observer.observe(document.documentElement, { attributeFilter: ["class"] });
  return () => {
    observer.disconnect();
    classList.remove("dark-mode");
  };
}
