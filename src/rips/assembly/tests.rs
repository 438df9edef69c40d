//! Assembly against the definitions, simplex by simplex.
