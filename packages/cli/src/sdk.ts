// The one place where the program meets the SDK. By its path, not by its name: in the repository the SDK
// is not compiled, and in the package it is carried along, so that the two are never of different versions.
export * from '../../sdk/src/index.ts'
