package grad

// Flattened is flattened, for tests.
var Flattened = flattened
