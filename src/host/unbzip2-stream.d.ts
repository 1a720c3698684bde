// The package has no types of its own.
declare module "unbzip2-stream" {
  const unbzip2Stream: () => NodeJS.ReadWriteStream;
  export = unbzip2Stream;
}
