//! Slices, and vectors.

// expect: pass-complete
#[symex::harness]
fn a_vector_is_pushed_its_own_length(x: usize) {
    let mut all = vec![x];
    all.push(all.len());
    assert!(all[1] == 1);
}

// expect: pass-complete
#[symex::harness]
fn halves_of_a_slice(x: u8) {
    let mut all = [x; 4];
    let (front, back) = all.split_at_mut(2);
    front[0] = back[1];
    back[0] = 1;
    front[1] = 2;
    for value in all.iter_mut() {
        *value /= 2;
    }
    for pair in all.chunks_mut(2) {
        pair.swap(0, 1);
    }
    assert!(all[0] == 1 && all[3] == 0);
}

// expect: bug aliasing
#[symex::harness]
fn an_element_that_a_loop_has_written(x: u8) {
    let mut all = [x; 4];
    let pointer = all.as_mut_ptr();
    let second = unsafe { &mut *pointer.add(1) };
    for i in 0..4 {
        unsafe { *pointer.add(i) = 0 };
    }
    *second = 1;
}

// expect: pass-complete
#[symex::harness]
fn elements_beside_the_one_that_is_borrowed(x: u8) {
    let mut all = [x; 4];
    let pointer = all.as_mut_ptr();
    let second = unsafe { &mut *pointer.add(1) };
    for i in [0, 2, 3] {
        unsafe { *pointer.add(i) = 0 };
    }
    *second = 1;
    assert!(all[1] == 1);
}

// expect: bug aliasing
#[symex::harness]
fn an_element_at_an_index_of_the_input(index: usize) {
    symex::assume(index < 4);
    let mut all = [0u8; 4];
    let pointer = all.as_mut_ptr();
    let stale = std::ptr::from_mut(unsafe { &mut *pointer.add(2) }).wrapping_sub(2);
    unsafe { *pointer.add(2) = 2 };
    std::hint::black_box(unsafe { *stale.add(index) });
}

// expect: pass-complete
#[symex::harness]
fn references_at_indices_of_the_input(one: usize, other: usize) {
    symex::assume(one < 3 && other < 3 && one != other);
    let mut all = [0u8; 3];
    let pointer = all.as_mut_ptr();
    let (first, second) = unsafe { (&mut *pointer.add(one), &mut *pointer.add(other)) };
    *first = 1;
    *second = 2;
    *first = 3;
    assert!(all[one] + all[other] == 5);
}

// expect: bug aliasing
#[symex::harness]
fn references_at_indices_that_may_be_the_same(one: usize, other: usize) {
    symex::assume(one < 3 && other < 3);
    let mut all = [0u8; 3];
    let pointer = all.as_mut_ptr();
    let (first, second) = unsafe { (&mut *pointer.add(one), &mut *pointer.add(other)) };
    *first = 1;
    *second = 2;
    *first = 3;
}

// expect: pass-bounded
#[symex::harness]
fn a_reference_at_one_of_many_indices(index: usize) {
    symex::assume(index < 100);
    let mut all = [0u8; 100];
    let element = &mut all[index];
    *element = 1;
    assert!(all[index] == 1);
}
