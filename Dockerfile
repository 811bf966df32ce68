# The gateway as an image: `docker compose up`, see docs/operate/docker.md.

FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN npm run build

FROM debian:bookworm-slim
RUN useradd --system --uid 10001 --home-dir /var/lib/tollgate --shell /usr/sbin/nologin tollgate \
  && install -d -m 700 -o tollgate -g tollgate /var/lib/tollgate
COPY --from=build /src/dist/tollgate /usr/local/bin/tollgate
# A container is reached by its own address, never by loopback.
ENV HOST=0.0.0.0 PORT=3000 TOLLGATE_DATA_DIR=/var/lib/tollgate
USER tollgate
VOLUME /var/lib/tollgate
EXPOSE 3000
# The image has no program for HTTP but the shell itself.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/$PORT && printf 'GET /readyz HTTP/1.0\\r\\n\\r\\n' >&3 && head -1 <&3 | grep -q ' 200 '"]
ENTRYPOINT ["tollgate"]
