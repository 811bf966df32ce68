/** Rows of the matrix about organisations, of which `owner` owns the one that they are about. */
export const organisationRows = `
  GET /api/organisation/                       L + x L L x x x T T T T T T T T + x x L
  POST /api/organisation/                      L R R L L R R + T T T T T T T T R R + L
  GET /api/organisation/:id                    L + x L L x x + T T T T T T T T + x + L
  PUT /api/organisation/:id                    L + x L L x x + T T T T T T T T + x + L
  POST /api/organisation/:id/adjust            L R R L L R R + T T T T T T T T R R + L
  POST /api/organisation/:id/close             L + x L L x x + T T T T T T T T + x + L
  GET /api/organisation/:id/invitations        L + x L L x x + T T T T T T T T + x + L
  POST /api/organisation/:id/invitations       L + x L L x x + T T T T T T T T + x + L
  POST /api/organisation/:id/invitations/withdraw L + x L L x x + T T T T T T T T + x + L
  GET /api/organisation/:id/keys               L + x L L x x + T T T T T T T T + x + L
  POST /api/organisation/:id/keys              L + x L L x x + T T T T T T T T + x + L
  PUT /api/organisation/:id/keys               L + x L L x x + T T T T T T T T + x + L
  POST /api/organisation/:id/keys/remove       L + x L L x x + T T T T T T T T + x + L
  POST /api/organisation/:id/keys/reveal       L + x L L x x + T T T T T T T T + x + L
  GET /api/organisation/:id/memberships        L + x L L x x + T T T T T T T T + x + L
  PUT /api/organisation/:id/memberships        L + x L L x x + T T T T T T T T + x + L
  POST /api/organisation/:id/memberships/end   L + x L L x x + T T T T T T T T + x + L
  POST /api/organisation/:id/owner             L + x L L x x + T T T T T T T T + x + L
  GET /api/organisation/:id/projects           L + x L L x x + T T T T T T T T + x + L
  POST /api/organisation/:id/projects          L + x L L x x + T T T T T T T T + x + L
  PUT /api/organisation/:id/projects           L + x L L x x + T T T T T T T T + x + L
  POST /api/organisation/:id/transfer          L + x L L x x + T T T T T T T T + x + L
  GET /api/organisation/:id/use                L + x L L x x + T T T T T T T T + x + L
  GET /api/organisation/all                    L R R L L R R + T T T T T T T T R R + L
  PUT /api/organisation/all/:id                L R R L L R R + T T T T T T T T R R + L
  POST /api/organisation/invitation            L + + L L + + + T T T T T T T T + + + L
  POST /api/organisation/join                  L x + L L + + + T T T T T T T T x + + L
`;
