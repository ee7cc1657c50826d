//! The memory settings that tests compare.

use symex_types::config::{MemoryConfig, MemoryModelKind, PartSize, PlanesKind};

pub fn name(model: MemoryModelKind) -> String {
    let name = serde_json::to_value(model).expect("a name");
    name.as_str().expect("a name").to_owned()
}

/// Returns all memory settings that are compared.
pub fn settings() -> Vec<(String, MemoryConfig)> {
    let plain = MemoryModelKind::ALL.iter().map(|model| {
        let memory = MemoryConfig {
            model: *model,
            ..MemoryConfig::default()
        };
        (name(*model), memory)
    });
    // Segments that are full at once, so that an access goes to several, and members from
    // elsewhere.
    let small = MemoryConfig {
        model: MemoryModelKind::Dynamic,
        segment_threshold: 64,
        context_depth: Some(0),
        ..MemoryConfig::default()
    };
    // Segments with the same contents have arrays of their own.
    let apart = MemoryConfig {
        model: MemoryModelKind::Dynamic,
        reuse_segments: false,
        ..MemoryConfig::default()
    };
    // Objects in parts, so small that the objects of the random programs have several.
    let forked = MemoryConfig {
        split_objects: Some(PartSize::Bytes(64)),
        split_threshold: 64,
        ..MemoryConfig::default()
    };
    let merged = MemoryConfig {
        split_objects: Some(PartSize::Bytes(8)),
        split_threshold: 8,
        ..small.clone()
    };
    plain
        .chain([
            ("dynamic, small".to_owned(), small),
            ("dynamic, no reuse".to_owned(), apart),
            ("forking, split".to_owned(), forked),
            ("dynamic, split".to_owned(), merged),
        ])
        .collect()
}

/// Returns the model `planes` with a record for every write of the program, for small programs.
pub fn naive() -> (String, MemoryConfig) {
    let memory = MemoryConfig {
        model: MemoryModelKind::Planes,
        planes: PlanesKind::Naive,
        ..MemoryConfig::default()
    };
    ("planes, naive".to_owned(), memory)
}
