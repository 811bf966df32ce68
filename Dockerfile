# The gateway as an image: `docker compose up`, see docs/operate/docker.md.

FROM node:22-bookworm-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates tzdata
WORKDIR /src
COPY . .
RUN npm run build && node scripts/release/image.mjs /rootfs

# The executable with its libraries, certificates and time zones; no shell, no package.
FROM scratch
COPY --from=build /rootfs /
# A container is reached by its own address, never by loopback.
ENV PATH=/usr/local/bin HOST=0.0.0.0 PORT=3000 TOLLGATE_DATA_DIR=/var/lib/tollgate
USER 10001:10001
VOLUME /var/lib/tollgate
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["tollgate", "health"]
ENTRYPOINT ["tollgate"]
