(definition name: (identifier) @local.definition)
(identifier) @local.reference
