//! Tests of the solver's stages and the simplifier, which must agree with Z3, and of the query log.

mod each_stage_pays;
mod products;
mod query_log;
mod simplify_agrees;
mod stages_agree;
mod without_stages;
