/** The rows of the matrix about the log, in the form that `matrix.ts` explains. */
export const logRows = `
  DELETE /api/log/                             L R R L L R R + T T T T T T T T R R + L
  GET /api/log/                                L R R L L + + + T T T T T T T T R + + L
  GET /api/log/charge/:id                      L + x L L + + + T T T T T T T T + + + L
  GET /api/log/chart                           L R R L L + + + T T T T T T T T R + + L
  GET /api/log/clean                           L R R L L R R + T T T T T T T T R R + L
  POST /api/log/clean                          L R R L L R R + T T T T T T T T R R + L
  POST /api/log/clean/stop                     L R R L L R R + T T T T T T T T R R + L
  GET /api/log/export                          L R R L L + + + T T T T T T T T R + + L
  GET /api/log/extend/:id                      L R R L L R R + T T T T T T T T R R + L
  GET /api/log/facet                           L R R L L + + + T T T T T T T T R + + L
  GET /api/log/failures                        L R R L L + + + T T T T T T T T R + + L
  GET+POST /api/log/new/                       L R R L L R R + T T T T T T T T R R + L
  GET+POST /api/log/new/chart                  L R R L L R R + T T T T T T T T R R + L
  GET+POST /api/log/new/facet                  L R R L L R R + T T T T T T T T R R + L
  GET+POST /api/log/new/failures               L R R L L R R + T T T T T T T T R R + L
  GET+POST /api/log/new/stat                   L R R L L R R + T T T T T T T T R R + L
  GET /api/log/receipt/:id                     L + x L L + + + T T T T T T T T + + + L
  GET /api/log/self/                           L + x L L x x x T T T T T T T T + x x L
  GET /api/log/self/chart                      L + + L L + + + T T T T T T T T + + + L
  GET /api/log/self/export                     L + + L L + + + T T T T T T T T + + + L
  GET /api/log/self/facet                      L + + L L + + + T T T T T T T T + + + L
  GET /api/log/self/failures                   L + + L L + + + T T T T T T T T + + + L
  GET /api/log/self/statement                  L + + L L + + + T T T T T T T T + + + L
  GET /api/log/self/stat                       L + + L L + + + T T T T T T T T + + + L
  GET /api/log/stat                            L R R L L + + + T T T T T T T T R + + L
  DELETE /api/log/texts                        L R R L L R R + T T T T T T T T R R + L
  GET /api/log/texts                           L + + L L + + + T T T T T T T T + + + L
  GET+POST /api/log/token                      L L L L L L L L + L L L + L L L L L L L
  GET+POST /api/log/token (by its key)           + + + + + + + + + x x x x x x x x x x +
`;
