# A small image of the service: built with npm, run by Bun as an ordinary user, without sources or packages.
#   docker build -t whocrawls . && docker run -p 8080:8080 whocrawls

# What it builds is the same for every platform.
FROM --platform=$BUILDPLATFORM node:22-slim AS build
WORKDIR /app
COPY . .
RUN --mount=type=cache,target=/root/.npm npm install
RUN mkdir /data

FROM oven/bun:1.4-alpine
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE /app/NOTICE ./
COPY --from=build /app/dist ./dist
# No RUN here: images for other platforms are built without emulation.
COPY --from=build --chown=1000:1000 /data /data
ENV HOST=0.0.0.0 PORT=8080 WHOCRAWLS_DATA=/data
# The image's user bun, by number: Kubernetes cannot tell from a name that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=3s --start-period=5s --retries=3 \
  CMD wget -q -O /dev/null "http://127.0.0.1:${PORT}/healthz"
ENTRYPOINT ["bun", "/app/dist/cli.js"]
CMD ["serve"]
