//! Witnesses that keep all rules, as canonical texts.

/// A violation of safety in version 2.0 that keeps all rules.
pub const SAFETY: &str = r#"- entry_type: violation_sequence
  metadata:
    format_version: "2.0"
    uuid: "5f0c0b5e-5f4e-4d0e-8a3b-2d3c1b0a9f8e"
    creation_time: "2026-01-31T12:00:00Z"
    producer:
      name: "Semper"
      version: "0.1.0"
    task:
      input_files:
        - "a.c"
      input_file_hashes:
        "a.c": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
      specification: "CHECK( init(main()), LTL(G ! call(reach_error())) )"
      data_model: LP64
      language: C
  content:
    - segment:
        - waypoint:
            type: branching
            action: avoid
            constraint:
              value: "false"
            location:
              file_name: "a.c"
              line: 3
              column: 5
        - waypoint:
            type: assumption
            action: follow
            constraint:
              value: "x == 1"
              format: c_expression
            location:
              file_name: "a.c"
              line: 4
    - segment:
        - waypoint:
            type: function_return
            action: follow
            constraint:
              value: "\\result == 5"
              format: acsl_expression
            location:
              file_name: "a.c"
              line: 5
              function: "main"
    - segment:
        - waypoint:
            type: target
            action: follow
            location:
              file_name: "a.c"
              line: 9
"#;

/// An execution that does not end, in version 2.1.
pub const CYCLE: &str = r#"- entry_type: violation_sequence
  metadata:
    format_version: "2.1"
    uuid: "5f0c0b5e-5f4e-4d0e-8a3b-2d3c1b0a9f8e"
    creation_time: "2026-01-31T12:00:00Z"
    producer:
      name: "Semper"
      version: "0.1.0"
    task:
      input_files:
        - "a.c"
      input_file_hashes:
        "a.c": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
      specification: "CHECK( init(main()), LTL(F end) )"
      data_model: LP64
      language: C
  content:
    - segment:
        - waypoint:
            type: function_enter
            action: follow
            location:
              file_name: "a.c"
              line: 3
    - segment:
        - waypoint:
            type: branching
            action: cycle
            constraint:
              value: "true"
            location:
              file_name: "a.c"
              line: 4
    - segment:
        - waypoint:
            type: assumption
            action: cycle
            constraint:
              value: "x > 0"
              format: c_expression
            location:
              file_name: "a.c"
              line: 5
"#;

/// Invariants in version 2.1.
pub const INVARIANTS: &str = r#"- entry_type: invariant_set
  metadata:
    format_version: "2.1"
    uuid: "5f0c0b5e-5f4e-4d0e-8a3b-2d3c1b0a9f8e"
    creation_time: "2026-01-31T12:00:00Z"
    producer:
      name: "Semper"
      version: "0.1.0"
      configuration: "default"
      command_line: "semper check a.c"
      description: "none"
    task:
      input_files:
        - "a.c"
      input_file_hashes:
        "a.c": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
      specification: "CHECK( init(main()), LTL(F end) )"
      data_model: ILP32
      language: C
  content:
    - invariant:
        type: loop_invariant
        location:
          file_name: "a.c"
          line: 3
        value: "x >= 0"
        format: c_expression
        labels:
          - inductive
    - invariant:
        type: loop_transition_invariant
        location:
          file_name: "a.c"
          line: 3
          column: 2
          function: "main"
        value: "\\at(x, AnyPrev) > x"
        format: ext_c_expression
"#;
