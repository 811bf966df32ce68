/** The part of Swagger UI's bundle that `ApiViewer.tsx` uses; its package has no types. */
declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  /** Swagger UI's own React. */
  type OwnReact = { createElement: (type: unknown, ...rest: readonly unknown[]) => unknown };
  const openSwaggerUi: (options: {
    readonly plugins: readonly ((system: { readonly React: OwnReact }) => object)[];
    readonly domNode: HTMLElement;
    readonly spec: object;
    readonly deepLinking: boolean;
    readonly docExpansion: "list" | "none";
    readonly defaultModelsExpandDepth: number;
    readonly filter: boolean;
    readonly supportedSubmitMethods: readonly string[];
    readonly syntaxHighlight: { readonly activated: boolean };
    readonly validatorUrl: null;
  }) => unknown;
  export default openSwaggerUi;
}
